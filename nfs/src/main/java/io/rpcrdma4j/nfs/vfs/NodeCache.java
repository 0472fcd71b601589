package io.rpcrdma4j.nfs.vfs;

import org.jspecify.annotations.Nullable;

/**
 * A bounded number of nodes by file number; the one that was not used for longest goes first. Makes no objects. Used by
 * one thread at a time.
 */
final class NodeCache {
    private final @Nullable NioNode[] buckets;
    private final int capacity;
    private int size;
    private @Nullable NioNode newest;
    private @Nullable NioNode oldest;

    /**
     * Makes an empty cache.
     *
     * @param capacity most nodes that it holds; at least 1
     */
    NodeCache(int capacity) {
        this.capacity = capacity;
        buckets = new @Nullable NioNode[Math.max(2, Integer.highestOneBit(capacity) * 2)];
    }

    int size() {
        return size;
    }

    @Nullable
    NioNode get(long fileid) {
        NioNode node = buckets[bucket(fileid)];
        while (node != null && node.fileid() != fileid) {
            node = node.hashNext;
        }
        if (node != null && newest != node) {
            unlink(node);
            linkNewest(node);
        }
        return node;
    }

    /** Adds a node whose number is not there yet. */
    void put(NioNode node) {
        if (size == capacity && oldest != null) {
            remove(oldest.fileid());
        }
        int bucket = bucket(node.fileid());
        node.hashNext = buckets[bucket];
        buckets[bucket] = node;
        linkNewest(node);
        size++;
    }

    void remove(long fileid) {
        int bucket = bucket(fileid);
        NioNode before = null;
        NioNode node = buckets[bucket];
        while (node != null && node.fileid() != fileid) {
            before = node;
            node = node.hashNext;
        }
        if (node == null) {
            return;
        }
        if (before == null) {
            buckets[bucket] = node.hashNext;
        } else {
            before.hashNext = node.hashNext;
        }
        node.hashNext = null;
        unlink(node);
        size--;
    }

    private void linkNewest(NioNode node) {
        node.older = newest;
        node.newer = null;
        if (newest != null) {
            newest.newer = node;
        }
        newest = node;
        if (oldest == null) {
            oldest = node;
        }
    }

    private void unlink(NioNode node) {
        if (node.newer == null) {
            newest = node.older;
        } else {
            node.newer.older = node.older;
        }
        if (node.older == null) {
            oldest = node.newer;
        } else {
            node.older.newer = node.newer;
        }
        node.newer = null;
        node.older = null;
    }

    private int bucket(long fileid) {
        long h = fileid * 0x9e3779b97f4a7c15L;
        return (int) (h >>> 40) & (buckets.length - 1);
    }
}
