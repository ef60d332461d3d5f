package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Random pipelines yield stock TensorFlow's elements and errors, in this process and through
 * services.
 *
 * <p>{@code -Ddifferential.pipelines=N} and {@code -Ddifferential.served=N} read N pipelines from
 * {@code -Ddifferential.first} on. {@code differential_pipelines.py} makes them, shrinks those that
 * differ and prints them as the Python that builds them.
 */
@SuppressWarnings("SystemOut") // the build prints the summary
final class DifferentialPipelinesTest {
  private static final int PIPELINES = Integer.getInteger("differential.pipelines", 200);
  private static final int SERVED = Integer.getInteger("differential.served", 20);
  private static final int FIRST = Integer.getInteger("differential.first", 0);

  @Test
  void randomPipelines_readInThisProcess_areStocks() throws IOException, InterruptedException {
    DifferentialRun run = new DifferentialRun("differential_pipelines.py", 120 + PIPELINES);

    run.run(FIRST, FIRST + PIPELINES, List.of());

    // Headrace answers before stock, in this process, which lives on.
    run.deaths.forEach(death -> System.out.println("stock's process ended in " + death));
    System.out.println("summary: " + run.summary());
    assertThat(run.failures).as(run.summary()).isEmpty();
  }

  @Test
  void randomPipelines_readThroughServices_areTheSameFromBoth()
      throws IOException, InterruptedException {
    DifferentialRun run = new DifferentialRun("differential_pipelines.py", 180 + 3 * SERVED);
    try (Servers servers = new Servers()) {
      String stock = servers.startStockDispatcher();
      servers.startStockWorker(stock);
      String ours = servers.startHeadraceDispatcher();
      servers.startHeadraceWorker(ours);

      run.run(FIRST, FIRST + SERVED, List.of("grpc://" + stock, "grpc://" + ours));
    }

    System.out.println("summary: through services: " + run.summary());
    assertThat(run.failures).as("%s %s", run.summary(), run.deaths).isEmpty();
    assertThat(run.deaths).isEmpty();
  }
}
