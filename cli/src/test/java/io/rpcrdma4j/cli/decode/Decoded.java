package io.rpcrdma4j.cli.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What decoding a capture gave.
 *
 * @param lines message lines
 * @param troubles lines for standard error
 * @param totals the last line
 * @param clean whether {@code --check} succeeds
 */
record Decoded(List<String> lines, List<String> troubles, String totals, boolean clean) {

    static Decoded of(byte[] capture) throws IOException, CaptureException {
        List<String> lines = new ArrayList<>();
        List<String> troubles = new ArrayList<>();
        IwarpConnection.Options options = new IwarpConnection.Options(true, false);
        Report report =
                new CaptureDecoder(options, lines::add, troubles::add).decode(new ByteArrayInputStream(capture));
        return new Decoded(lines, troubles, report.totals(true), report.isClean());
    }

    /** The value of a count in the last line. */
    long count(String name) {
        Matcher matcher = Pattern.compile(" " + name + "=(\\d+)").matcher(totals);
        if (!matcher.find()) {
            throw new AssertionError("no count " + name + " in " + totals);
        }
        return Long.parseLong(matcher.group(1));
    }
}
