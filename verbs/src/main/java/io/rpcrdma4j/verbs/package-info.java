/**
 * The verbs: what an RDMA program asks of a device, with no protocol and no I/O in it.
 *
 * <p>A {@link VerbsProvider} opens a {@link Device}. A device gives {@link ProtectionDomain}s, which register memory
 * ({@link MemoryRegion}, {@link MemoryWindow}); {@link CompletionQueue}s, which report finished work; and
 * {@link Connection}s, each of which owns one reliable connected {@link QueuePair}. Work is posted in chains of
 * {@link SendRequest}s or {@link ReceiveRequest}s and comes back as {@link WorkCompletion}s.
 *
 * <p>The model is that of libibverbs and librdmacm; {@code docs/verbs.md} maps each call to theirs and to iWARP. Three
 * rules shape everything above it:
 *
 * <ul>
 *   <li>A provider may complete a work request <em>inside</em> the call that posts it. After a successful post nothing
 *       of the request may be touched until its completion, and that completion may already have happened.
 *   <li>A chain posts wholly, partly or not at all, and the caller learns which.
 *   <li>Posted memory belongs to the device until the completion; a completion, successful or not, gives it back once.
 * </ul>
 */
package io.rpcrdma4j.verbs;
