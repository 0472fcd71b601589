package io.rpcrdma4j.cli.decode;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code rpcrdma4j decode FILE}: shows the RPC-over-RDMA messages of a capture.
 *
 * <p>Exit code 0 if the capture was decoded; 1 if the file cannot be read, holds no iWARP connection, or, with
 * {@code --check}, if anything in it breaks a rule or differs when encoded again; 2 for wrong usage.
 *
 * <p><b>Threading:</b> confined to the thread that runs the command line.
 */
@Command(
        name = "decode",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Show the RPC-over-RDMA messages in a capture of iWARP traffic.",
        description = {
            "",
            "FILE is a pcap or pcapng capture, plain or compressed with xz or gzip, that holds the start of the",
            "connections; - reads standard input. One line is printed for each message:",
            "",
            "  12 10.0.0.1:901 > 10.0.0.2:20049 xid=0x4a8b1732 credits=128 RDMA_MSG call NFSv3 READ",
            "     W[4096@0x5f853503:0x4a8b173201f3d000] inline=128",
            "",
            "  12                 packet that completes the message",
            "  R@108[n@h:o ...]   Read chunk at position 108: n bytes at offset o of handle h;",
            "                     position 0 is the call itself",
            "  W[n@h:o ...]       Write chunk, offered in a call, returned with the bytes written in a reply",
            "  P[n@h:o ...]       Reply chunk, likewise",
            "  inline=128         bytes of the RPC message that follow the header",
            "  invalidates=h      the Send invalidates this handle",
            "",
            "The last line has the counts. What breaks a rule is told on standard error.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:decoded",
            "1:unreadable, no iWARP in it, or --check found a difference or a broken rule",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tcpdump -i eth0 -s 0 -w nfs.pcap tcp port 20049",
            "  rpcrdma4j decode nfs.pcap",
            "  rpcrdma4j decode --check nfs.pcap.xz",
            "  tcpdump -i lo -s 0 -U -w - tcp port 20049 | rpcrdma4j decode -"
        })
public final class DecodeCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int FAILED = 1;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "the capture; - for standard input")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String file;

    @Option(
            names = "--check",
            description = "encode every MPA frame, FPDU and transport header again from its decoded fields, and fail"
                    + " unless all bytes are the same")
    private boolean check;

    @Option(
            names = {"-v", "--verbose"},
            description = "print the MPA frames too: what was negotiated")
    private boolean verbose;

    /** A command to be filled in by picocli. */
    public DecodeCommand() {}

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        IwarpConnection.Options options = new IwarpConnection.Options(check, verbose);
        CaptureDecoder decoder = new CaptureDecoder(options, out::println, text -> err.println("decode: " + text));
        try {
            Report report = decoder.decode(open());
            out.println(report.totals(check));
            out.flush();
            if (report.connections() == 0) {
                err.println("decode: " + file + ": no iWARP connection in it; a connection counts only if the capture"
                        + " holds its start, the MPA Request");
                return FAILED;
            }
            return check && !report.isClean() ? FAILED : OK;
        } catch (CaptureException e) {
            out.flush();
            err.println("decode: " + file + ": " + e.getMessage());
        } catch (NoSuchFileException e) {
            err.println("decode: " + file + ": no such file");
        } catch (IOException e) {
            out.flush();
            err.println("decode: " + file + ": cannot be read: " + e.getMessage());
        }
        return FAILED;
    }

    private InputStream open() throws IOException {
        return file.equals("-") ? System.in : Files.newInputStream(Path.of(file));
    }
}
