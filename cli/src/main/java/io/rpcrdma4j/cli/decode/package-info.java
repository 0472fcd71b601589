/**
 * The {@code decode} command: reads a capture of iWARP traffic and shows the RPC-over-RDMA messages in it.
 *
 * <p>Bytes flow one way through small parts: {@link io.rpcrdma4j.cli.decode.CaptureReader} (pcap, pcapng) gives
 * packets, {@link io.rpcrdma4j.cli.decode.TcpSegment} finds TCP in them, {@link io.rpcrdma4j.cli.decode.TcpDirection}
 * puts segments in order, {@link io.rpcrdma4j.cli.decode.IwarpConnection} cuts MPA frames and FPDUs and joins Sends,
 * {@link io.rpcrdma4j.cli.decode.MessageDecoder} decodes RPC-over-RDMA, and {@link io.rpcrdma4j.cli.decode.Report}
 * takes the lines and the counts. All codecs are those of the transport itself, so that a capture of another
 * implementation tests them.
 */
package io.rpcrdma4j.cli.decode;
