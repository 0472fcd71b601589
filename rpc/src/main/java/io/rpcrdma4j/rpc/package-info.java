/**
 * RPC messages, programs, dispatch, and the interface that transports implement. Read RFC 5531 first.
 *
 * <h2>A server</h2>
 *
 * An {@link io.rpcrdma4j.rpc.RpcProgram} serves calls. A {@link io.rpcrdma4j.rpc.RpcDispatcher} takes each
 * {@link io.rpcrdma4j.rpc.RpcServerCall} that a transport received to its program, on the thread that received it or,
 * if the procedure may block, on an executor. The program reads the arguments, writes the results and answers, now or
 * later, from any thread, or never.
 *
 * <pre>{@code
 * RpcDispatcher dispatcher = RpcDispatcher.builder().program(new MyProgram()).executor(workers).build();
 * TcpServer server = TcpServer.builder(dispatcher).address(new InetSocketAddress(111)).start();
 * }</pre>
 *
 * <h2>A client</h2>
 *
 * An {@link io.rpcrdma4j.rpc.RpcClientTransport} is the way to one server. The convenient way to call is a future:
 *
 * <pre>{@code
 * RpcClientTransport client = TcpClient.builder(address).build();
 * CompletableFuture<String> name = client.call(
 *         CallOptions.of(PROGRAM, VERSION), GET_NAME, XdrEncoder.VOID, reader -> reader.readString(255));
 * }</pre>
 *
 * The one that allocates nothing is a reusable {@link io.rpcrdma4j.rpc.ClientCall}. Calls have a deadline, can be
 * cancelled, and end exactly once, with results or with an {@link io.rpcrdma4j.rpc.RpcException} that says whose fault
 * it was and whether the call may have been executed.
 *
 * <h2>Bulk data</h2>
 *
 * The bytes of large items are marked, not copied: {@link io.rpcrdma4j.rpc.xdr.XdrWriter#payload} says "these bytes are
 * eligible for direct placement", and the transport decides how they travel: inline, or by RDMA Read or Write (RFC 8166
 * §3.4). On the way in, {@link io.rpcrdma4j.rpc.xdr.XdrReader#readPayload} finds them whichever way they came.
 *
 * <h2>A transport</h2>
 *
 * A server's transport extends {@link io.rpcrdma4j.rpc.RpcServerCall} and implements
 * {@link io.rpcrdma4j.rpc.RpcConnection}; a client's implements {@link io.rpcrdma4j.rpc.RpcClientTransport} on
 * {@link io.rpcrdma4j.rpc.PendingCall} and {@link io.rpcrdma4j.rpc.CallTable}. Time comes from
 * {@link io.rpcrdma4j.rpc.Timers}, so that deadlines can be tested on a clock of the test's own.
 */
package io.rpcrdma4j.rpc;
