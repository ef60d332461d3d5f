package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Random calls of every op with every dtype answer as stock TensorFlow does, alone and by rows.
 *
 * <p>{@code -Ddifferential.ops=N} compares N calls from {@code -Ddifferential.first} on, {@code
 * -Ddifferential.only=Op,...} calls of these ops. {@code differential_ops.py} makes the calls,
 * shrinks those that differ and prints them as the oracle cases to record.
 */
@SuppressWarnings("SystemOut") // the build prints the summary
final class DifferentialOpsTest {
  private static final int CALLS = Integer.getInteger("differential.ops", 200);

  @Test
  void randomCalls_answerAsStockDoes() throws IOException, InterruptedException {
    int first = Integer.getInteger("differential.first", 0);
    String only = System.getProperty("differential.only", "");
    DifferentialRun run = new DifferentialRun("differential_ops.py", 120 + CALLS / 5);

    run.run(first, first + CALLS, only.isEmpty() ? List.of() : List.of(only.split(",", -1)));

    System.out.println("summary: " + run.summary());
    run.deaths.forEach(death -> System.out.println("stock's process ended in " + death));
    assertThat(run.failures).as(run.summary()).isEmpty();
  }
}
