package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README's example script for users of stock TensorFlow. */
final class FashionMnistScriptTest {
  private static final Path SCRIPT =
      TestPaths.root().resolve("examples/src/main/python/fashion_mnist.py");
  private static final Pattern PYTHON = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL);

  @Test
  void script_onTwoWorkers_readsEveryImageOfEach() throws InterruptedException {
    try (Servers servers = new Servers()) {
      String dispatcher = servers.startHeadraceDispatcher();
      servers.startHeadraceWorker(dispatcher);
      servers.startHeadraceWorker(dispatcher);
      List<String> command =
          List.of(TestPaths.python().toString(), "-B", SCRIPT.toString(), "grpc://" + dispatcher);
      try (var script = ManagedProcess.start("script", command, StockTensorFlow.ENVIRONMENT)) {
        assertThat(script.awaitLine("20000 images, the last ", 300))
            .endsWith("(28, 28, 1) float32");
        assertThat(script.awaitEnd(30)).isZero();
      }
    }
  }

  @Test
  void readme_showsTheScriptsOwnLines() throws IOException {
    Matcher shown = PYTHON.matcher(Files.readString(TestPaths.root().resolve("README.md")));

    String script = Files.readString(SCRIPT);
    assertThat(shown.results().map(block -> block.group(1))).anyMatch(script::contains);
  }
}
