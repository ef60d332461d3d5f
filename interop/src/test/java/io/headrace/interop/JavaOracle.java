package io.headrace.interop;

import io.headrace.interop.JavaDatasets.Case;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stock TensorFlow's results for the graphs that the Java API builds.
 *
 * @param cases the datasets
 * @param results stock's results, by name
 */
record JavaOracle(List<Case> cases, Results results) {
  private static @Nullable JavaOracle oracle;

  /** Runs stock TensorFlow once. */
  static synchronized JavaOracle get() throws InterruptedException {
    if (oracle == null) {
      StockTensorFlow.alone(); // writes the input files
      List<Case> cases = JavaDatasets.all(TestPaths.output("files"));
      oracle = new JavaOracle(cases, StockTensorFlow.run("java", folder -> write(cases, folder)));
    }
    return oracle;
  }

  private static void write(List<Case> cases, Path folder) {
    try {
      for (Case one : cases) {
        Files.write(folder.resolve(one.name() + ".pb"), one.dataset().toGraphDef().toByteArray());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
