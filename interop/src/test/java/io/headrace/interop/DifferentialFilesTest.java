package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Damaged images, sounds and messages, and random regular expressions, CSV records and Examples
 * give stock TensorFlow's results and errors.
 *
 * <p>{@code -Ddifferential.files=N} compares N cases from {@code -Ddifferential.first} on, {@code
 * -Ddifferential.kinds=images,...} cases of these kinds. {@code differential_files.py} makes them,
 * shrinks those that differ and prints them as the oracle cases to record.
 */
@SuppressWarnings("SystemOut") // the build prints the summary
final class DifferentialFilesTest {
  private static final int CASES = Integer.getInteger("differential.files", 200);

  @Test
  void damagedFilesAndRandomTexts_areReadAsStockDoes() throws IOException, InterruptedException {
    int first = Integer.getInteger("differential.first", 0);
    String kinds = System.getProperty("differential.kinds", "");
    DifferentialRun run = new DifferentialRun("differential_files.py", 120 + CASES / 5);

    run.run(first, first + CASES, kinds.isEmpty() ? List.of() : List.of(kinds.split(",", -1)));

    System.out.println("summary: " + run.summary());
    run.deaths.forEach(death -> System.out.println("stock's process ended in " + death));
    assertThat(run.failures).as(run.summary()).isEmpty();
  }
}
