package io.rpcrdma4j.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code rpcrdma4j bench}: NULL and 1 MiB READ, one call outstanding, over iWARP loopback and over oncrpc4j on TCP,
 * interleaved in one run. Client and servers are two processes; pinned to one core with {@code taskset -c 0}, both are.
 */
public final class Main {

    private static final int MIB = 1 << 20;
    private static final String USAGE = """
            usage: rpcrdma4j bench [--json FILE] [--rounds N] [--millis N] [--congestion NAME]

            Measures NULL calls and 1 MiB READs, one outstanding, over software iWARP on loopback and over
            oncrpc4j on TCP, interleaved, and prints medians over all rounds and the ratio per round.
            Pin it to one core for figures that do not depend on how fast the machine wakes an idle core:

              taskset -c 0 ./rpcrdma4j bench

              --json FILE         also write the figures as JSON
              --rounds N          rounds, 9 by default
              --millis N          milliseconds for each case in a round, 500 by default
              --congestion NAME   TCP congestion control of all rivals, reno by default
            """;

    private final Map<String, List<Double>> rates = new TreeMap<>();

    private Main() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("--serve")) {
            serve(args[1]);
            return;
        }
        int exit;
        try {
            exit = new Main().run(Options.parse(args));
        } catch (IllegalArgumentException e) {
            System.err.println("rpcrdma4j bench: " + e.getMessage());
            System.err.print(USAGE);
            exit = 2;
        }
        System.exit(exit);
    }

    /** What the command line says. */
    private record Options(boolean help, @Nullable Path json, int rounds, int millis, String congestion) {

        static Options parse(String[] args) {
            boolean help = false;
            Path json = null;
            int rounds = 9;
            int millis = 500;
            String congestion = "reno";
            for (int i = 0; i < args.length; i++) {
                String option = args[i];
                if (option.equals("--help") || option.equals("-h")) {
                    help = true;
                    continue;
                }
                if (i + 1 == args.length) {
                    throw new IllegalArgumentException("what is '" + option + "'?");
                }
                String value = args[++i];
                switch (option) {
                    case "--json" -> json = Path.of(value);
                    case "--rounds" -> rounds = positive(option, value);
                    case "--millis" -> millis = positive(option, value);
                    case "--congestion" -> congestion = value;
                    default -> throw new IllegalArgumentException("what is '" + option + "'?");
                }
            }
            return new Options(help, json, rounds, millis, congestion);
        }

        private static int positive(String option, String value) {
            try {
                int number = Integer.parseInt(value);
                if (number > 0) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // told below
            }
            throw new IllegalArgumentException(option + " takes a positive number, not '" + value + "'");
        }
    }

    private static void serve(String congestion) throws IOException, InterruptedException {
        System.out.println("ports " + RdmaRival.serve(true) + " " + RdmaRival.serve(false) + " "
                + OncRpc4jRival.serve(congestion));
        System.out.flush();
        // Ends with the parent, which closes our standard input.
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        System.exit(0);
    }

    private int run(Options options) throws Exception {
        if (options.help) {
            System.out.print(USAGE);
            return 0;
        }
        Process server = startServer(options.congestion);
        try {
            var output = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
            String line = output.readLine();
            if (line == null || !line.startsWith("ports ")) {
                throw new IOException("the server process did not start: " + line);
            }
            String[] ports = line.split(" ");
            try (var ours = new RdmaRival(Integer.parseInt(ports[1]), true);
                    var oursNoCrc = new RdmaRival(Integer.parseInt(ports[2]), false);
                    var oncRpc4j = new OncRpc4jRival(Integer.parseInt(ports[3]), options.congestion)) {
                measureAll(options, List.of(ours, oursNoCrc, oncRpc4j));
            }
        } finally {
            server.getOutputStream().close();
            if (!server.waitFor(10, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
        report(options);
        return 0;
    }

    private static Process startServer(String congestion) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Main.class.getName());
        command.add("--serve");
        command.add(congestion);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private void measureAll(Options options, List<Rival> rivals) throws Exception {
        for (Rival rival : rivals) {
            rate(rival::callNull, 3L * options.millis);
            rate(deadline -> rival.read(MIB, deadline), 3L * options.millis);
        }
        for (int round = 0; round < options.rounds; round++) {
            for (Rival rival : rivals) {
                record(rival.name() + "|NULL", rate(rival::callNull, options.millis));
            }
            for (Rival rival : rivals) {
                record(rival.name() + "|READ 1 MiB", rate(deadline -> rival.read(MIB, deadline), options.millis));
            }
        }
    }

    private void record(String key, double rate) {
        rates.computeIfAbsent(key, k -> new ArrayList<>()).add(rate);
    }

    /** Calls one after the other until a deadline. */
    @FunctionalInterface
    private interface Calls {
        long until(long deadlineNanos) throws Exception;
    }

    private static double rate(Calls calls, long millis) throws Exception {
        long start = System.nanoTime();
        long count = calls.until(start + TimeUnit.MILLISECONDS.toNanos(millis));
        return count * 1e9 / (System.nanoTime() - start);
    }

    private void report(Options options) throws IOException {
        System.out.printf(
                Locale.ROOT, "%-12s %-22s %14s %14s %8s %8s%n", "case", "rival", "median", "unit", "ratio", "worst");
        StringBuilder json = new StringBuilder("{\n  \"rounds\": " + options.rounds + ",\n  \"cases\": [\n");
        String separator = "";
        for (Map.Entry<String, List<Double>> entry : rates.entrySet()) {
            String[] key = entry.getKey().split("\\|");
            List<Double> base = rates.get("oncrpc4j on TCP|" + key[1]);
            double[] ratios = ratios(entry.getValue(), base == null ? entry.getValue() : base);
            boolean bulk = key[1].startsWith("READ");
            double median = median(entry.getValue()) * (bulk ? MIB / 1e6 : 1);
            System.out.printf(
                    Locale.ROOT,
                    "%-12s %-22s %14.0f %14s %8.2f %8.2f%n",
                    key[1],
                    key[0],
                    median,
                    bulk ? "MB/s" : "calls/s",
                    medianOf(ratios),
                    Arrays.stream(ratios).min().orElse(0));
            json.append(separator)
                    .append(String.format(
                            Locale.ROOT,
                            "    {\"case\": \"%s\", \"rival\": \"%s\", \"median\": %.1f, \"unit\": \"%s\","
                                    + " \"ratioToOncrpc4j\": %.3f, \"worstRatio\": %.3f}",
                            key[1],
                            key[0],
                            median,
                            bulk ? "MB/s" : "calls/s",
                            medianOf(ratios),
                            Arrays.stream(ratios).min().orElse(0)));
            separator = ",\n";
        }
        System.out.println("ratio: median over the rounds of this rival's rate to oncrpc4j's; worst: of one round");
        if (options.json != null) {
            Files.writeString(options.json, json.append("\n  ]\n}\n"));
        }
    }

    private static double[] ratios(List<Double> rates, List<Double> base) {
        double[] ratios = new double[rates.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = rates.get(i) / base.get(i);
        }
        return ratios;
    }

    private static double median(List<Double> values) {
        return medianOf(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static double medianOf(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length % 2 == 1
                ? sorted[sorted.length / 2]
                : (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
    }
}
