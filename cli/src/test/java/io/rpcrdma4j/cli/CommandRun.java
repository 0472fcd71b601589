package io.rpcrdma4j.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A command that was run inside this process.
 *
 * @param code its exit code
 * @param bytes what it wrote to standard output
 * @param err what it wrote to standard error
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
record CommandRun(int code, byte[] bytes, String err) {

    static CommandRun of(String... arguments) {
        return withInput(new byte[0], arguments);
    }

    static CommandRun withInput(byte[] input, String... arguments) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(new ByteArrayInputStream(input), output, error, false);
        int code = Main.run(terminal, arguments);
        LogSetup.showWarnings();
        return new CommandRun(code, output.toByteArray(), error.toString(StandardCharsets.UTF_8));
    }

    String out() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
