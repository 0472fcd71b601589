package io.rpcrdma4j.cli;

import io.rpcrdma4j.cli.decode.DecodeCommand;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The {@code rpcrdma4j} command.
 *
 * <p>It exits with 0 when all went well, with 1 when something failed, which a line on standard error explains, and
 * with 2 when it was not called as it should be.
 *
 * <p><b>Threading:</b> confined to the thread that runs the command.
 */
@Command(
        name = "rpcrdma4j",
        versionProvider = Main.Version.class,
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description =
                "Serves directories and copies files by NFS over RDMA (RFC 8166, RFC 8267), with software RDMA that"
                        + " needs no adapter, no kernel module and no root.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  rpcrdma4j serve /srv/data",
            "  rpcrdma4j put big.iso nfs://127.0.0.1/ --verify",
            "  rpcrdma4j ls -l nfs://127.0.0.1/",
            "  rpcrdma4j get nfs://127.0.0.1/big.iso /tmp/",
            "  rpcrdma4j ping 127.0.0.1",
            "",
            "URLs have the form nfs://HOST[:PORT]/PATH[?mountport=N]; the port is 20049 if none is given.",
            "'rpcrdma4j COMMAND --help' explains a command.",
        })
public final class Main implements Callable<Integer> {
    /** All went well. */
    static final int OK = 0;

    /** Something failed. */
    static final int FAILED = 1;

    /** The command was not called as it should be. */
    static final int USAGE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    @Mixin
    @SuppressWarnings("unused") // It acts when picocli sets it.
    private final Verbosity verbosity = new Verbosity();

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    private Main() {}

    /** Starts the process. */
    public static void main(String[] arguments) {
        System.exit(run(Terminal.system(), arguments));
    }

    /** Runs a command. Returns the exit code. */
    static int run(Terminal terminal, String... arguments) {
        CommandLine commandLine = new CommandLine(new Main());
        commandLine
                .addSubcommand(new ServeCommand(terminal))
                .addSubcommand(new LsCommand(terminal))
                .addSubcommand(new CatCommand(terminal))
                .addSubcommand(new GetCommand(terminal))
                .addSubcommand(new PutCommand(terminal))
                .addSubcommand(new StatCommand(terminal))
                .addSubcommand(new MkdirCommand(terminal))
                .addSubcommand(new RmCommand(terminal))
                .addSubcommand(new MvCommand(terminal))
                .addSubcommand(new PingCommand(terminal))
                .addSubcommand(new DecodeCommand())
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((problem, given) -> explain(problem, terminal))
                .setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, terminal));
        for (CommandLine subcommand : commandLine.getSubcommands().values()) {
            subcommand.getCommandSpec().versionProvider(new Version());
        }
        int code = commandLine.execute(arguments);
        terminal.out().flush();
        return code;
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }

    private static int explain(ParameterException problem, Terminal terminal) {
        CommandLine command = problem.getCommandLine();
        PrintWriter err = terminal.err();
        err.println("rpcrdma4j: " + problem.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(problem, err)) {
            err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        return USAGE;
    }

    private static int explain(Exception failure, Terminal terminal) {
        if (failure instanceof java.io.IOException) {
            if (!Failures.isClosedPipe(failure)) {
                terminal.err().println("rpcrdma4j: " + Failures.line(failure));
            }
            LOG.debug("Where it failed", failure);
        } else {
            terminal.err().println("rpcrdma4j: internal error: " + failure);
            LOG.debug("Where it failed", failure);
        }
        return FAILED;
    }

    /** The version that the module was built with. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            java.lang.module.ModuleDescriptor descriptor =
                    Main.class.getModule().getDescriptor();
            String version =
                    descriptor == null ? "development" : descriptor.rawVersion().orElse("development");
            return new String[] {"rpcrdma4j " + version};
        }
    }
}
