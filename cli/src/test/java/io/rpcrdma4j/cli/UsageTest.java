package io.rpcrdma4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {
    @Test
    void theHelpListsTheCommandsAndShowsExamples() {
        CommandRun run = CommandRun.of("--help");
        assertThat(run.code()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("Usage: rpcrdma4j", "serve", "ls", "cat", "get", "put", "stat", "mkdir", "rm", "mv", "ping")
                .contains("decode", "Examples:", "nfs://HOST[:PORT]/PATH[?mountport=N]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve", "ls", "cat", "get", "put", "stat", "mkdir", "rm", "mv", "ping", "decode"})
    void everyCommandExplainsItselfWithAnExample(String command) {
        CommandRun run = CommandRun.of(command, "--help");
        assertThat(run.code()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("Usage: rpcrdma4j " + command).contains("  rpcrdma4j " + command);
        assertThat(run.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(120));
        assertThat(CommandRun.of(command, "--version").out()).startsWith("rpcrdma4j ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "| a command is missing",
                "bogus | 'bogus'",
                "ls | Missing required parameter: 'URL'",
                "ls --bogus nfs://h/ | Unknown option: '--bogus'",
                "ls server:/a | an NFS URL has the form nfs://HOST[:PORT]/PATH[?mountport=N]",
                "ls nfs://h:99999/ | port '99999' is not 1 to 65535",
                "cat nfs://h/a?bogus=1 | unknown parameter 'bogus=1'",
                "stat --crc maybe nfs://h/ | 'maybe' is neither 'on' nor 'off'",
                "stat nfs://h/ --crc | --crc",
                "rm --connections 0 nfs://h/ | --connections is 1 to 64, not 0",
                "rm --connections 65 nfs://h/ | --connections is 1 to 64, not 65",
                "mkdir --timeout 0 nfs://h/a | --timeout is more than 0 and at most 86400 seconds",
                "mkdir --timeout soon nfs://h/a | 'soon'",
                "get /tmp/a | there is no URL to get",
                "get /tmp/a nfs://h/a | '/tmp/a' is not an NFS URL, and only the last argument may be something else",
                "get nfs:// /tmp | the host is missing",
                "put a | put needs a file and, as the last argument, a URL",
                "put a b | an NFS URL has the form",
                "put nfs://h/a nfs://h/b | 'nfs://h/a' is a URL, and only the last argument may be one",
                "mv nfs://h/a | mv needs a URL to rename and one to rename it to",
                "mv nfs://h/a nfs://g/b | nfs://h/a and nfs://g/b are not on one server; use get and put",
                "ping | Missing required parameter: 'HOST[:PORT]'",
                "ping h -c 0 | -c is 1 to 10000000, not 0",
                "ping h:0 | port '0' is not 1 to 65535",
                "ping nfs:// | the host is missing",
                "serve | Missing required parameter: 'DIR'",
                "serve /tmp --port 65536 | --port is 0 to 65535, not 65536",
                "serve /tmp --mount-port -1 | --mount-port is 0 to 65535, not -1",
                "serve /tmp --allow 10.0.0.0/33 | 10.0.0.0/33",
                "serve /tmp --as-root --listen 0.0.0.0 | 0.0.0.0 lets other machines in: say which with --allow",
                "serve /tmp --as-root --listen :: | lets other machines in",
            })
    void aWrongCallIsExplainedAndEndsWithTwo(String arguments, String message) {
        CommandRun run = CommandRun.of(arguments == null ? new String[0] : arguments.split(" "));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("rpcrdma4j: ").contains(message).contains("--help");
        assertThat(run.err().lines().count()).isLessThanOrEqualTo(3);
        assertThat(run.err()).doesNotContain("Exception");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "serve /no/such/directory --as-root | rpcrdma4j: /no/such/directory: no such directory",
                "serve /dev/null --as-root | rpcrdma4j: /dev/null: not a directory",
                "put /no/such/file nfs://127.0.0.1:1/ | rpcrdma4j: nfs://127.0.0.1:1/: ",
                "ls nfs://127.0.0.1:1/ | Connection refused",
                "ping 127.0.0.1:1 | Connection refused",
                "ls nfs://no.such.host.invalid/ | rpcrdma4j: no address is known for host 'no.such.host.invalid'",
            })
    void whatFailsIsToldInOneLineAndEndsWithOne(String arguments, String message) {
        CommandRun run = CommandRun.of(arguments.split(" "));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(message).doesNotContain("Exception");
        assertThat(run.err().lines().count()).isEqualTo(1);
    }

    @Test
    void rootServesOnlyWhenItSaysSo() {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can be refused as root");
        CommandRun run = CommandRun.of("serve", "/tmp");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("this would let every client act as root")
                .contains("--as-root");
    }
}
