package io.rpcrdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The Java of the README is the Java of these examples. */
class ReadmeTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");

    @Test
    void everyPieceOfJavaInTheReadmeIsTheBodyOfAnExample() throws IOException {
        String examples = withoutIndents(source("ServeDirectory") + source("ReadFile"));
        List<String> blocks = new ArrayList<>();
        Matcher matcher = JAVA_BLOCK.matcher(Files.readString(Path.of("..", "README.md")));
        while (matcher.find()) {
            blocks.add(matcher.group(1));
        }
        assertThat(blocks).hasSize(2);
        for (String block : blocks) {
            assertThat(block.lines().count()).as("lines").isLessThanOrEqualTo(5);
            assertThat(examples).contains(withoutIndents(block));
        }
    }

    private static String source(String name) throws IOException {
        return Files.readString(Path.of("src/test/java/io/rpcrdma4j/examples", name + ".java"));
    }

    private static String withoutIndents(String text) {
        return text.lines().map(String::strip).reduce("", (all, line) -> all + line + "\n");
    }
}
