package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.FileName;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Names of a directory as they were at one moment, in the order of their cookies: all those with a cookie in a range.
 * Immutable. Takes little more memory than the names.
 *
 * <p>A cookie is the keyed hash of the name, so it means the same in every snapshot. Should two names have one hash,
 * the later one in byte order counts on from it.
 */
final class DirectorySnapshot {
    /** The first cookie that a name may have: 1 and 2 are those of {@code .} and {@code ..}. */
    static final long FIRST_COOKIE = 3;

    private final long above;
    private final boolean complete;
    private final long[] cookies;
    private final int[] ends;
    private final byte[] bytes;

    /**
     * A name and its cookie.
     *
     * @param cookie the cookie of the name's hash
     * @param name the name
     */
    record Entry(long cookie, FileName name) {}

    static final Comparator<Entry> ORDER =
            Comparator.comparingLong(Entry::cookie).thenComparing(Entry::name);

    /**
     * Makes a snapshot.
     *
     * @param entries all entries with cookies above {@code above}, up to that of the last one; sorted
     * @param above where the range begins, exclusive
     * @param complete whether there are no others behind the last
     */
    DirectorySnapshot(List<Entry> entries, long above, boolean complete) {
        this.above = above;
        this.complete = complete;
        cookies = new long[entries.size()];
        ends = new int[entries.size()];
        bytes = new byte
                [entries.stream().mapToInt(entry -> entry.name().length()).sum()];
        int at = 0;
        for (int i = 0; i < cookies.length; i++) {
            Entry entry = entries.get(i);
            long least = i == 0 ? FIRST_COOKIE : cookies[i - 1] + 1;
            cookies[i] = Math.max(least, entry.cookie());
            entry.name().copyTo(bytes, at);
            at += entry.name().length();
            ends[i] = at;
        }
    }

    /** The cookie of a name with this hash. */
    static long cookie(long hash) {
        return FIRST_COOKIE + (hash >>> 2);
    }

    /** Whether it knows what follows {@code cookie}. */
    boolean covers(long cookie) {
        return cookie >= above && (complete || (cookies.length > 0 && cookie < cookies[cookies.length - 1]));
    }

    /** Whether there is nothing behind its last name. */
    boolean isComplete() {
        return complete;
    }

    /** Number of names. */
    int size() {
        return cookies.length;
    }

    /** Index of the first name with a cookie above {@code cookie}; {@link #size()} if there is none. */
    int firstAbove(long cookie) {
        int i = Arrays.binarySearch(cookies, cookie);
        return i >= 0 ? i + 1 : -(i + 1);
    }

    /** Cookie of name {@code index}. */
    long cookieAt(int index) {
        return cookies[index];
    }

    /** Name {@code index}. */
    FileName nameAt(int index) {
        return FileName.of(Arrays.copyOfRange(bytes, index == 0 ? 0 : ends[index - 1], ends[index]));
    }
}
