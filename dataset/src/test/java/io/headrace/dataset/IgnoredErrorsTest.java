package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.PassProgress;
import io.headrace.dataset.execute.pass.PassProgress.IgnoredErrors;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many failed elements ignoreErrors left out, and how many lines tell of them. */
final class IgnoredErrorsTest {
  private static final long N = 1000;

  private final Logger logger = Logger.getLogger(PassProgress.class.getName());
  private final List<LogRecord> lines = new CopyOnWriteArrayList<>();

  @BeforeEach
  void collect() {
    logger.setFilter(line -> {
      lines.add(line);
      return false;
    });
  }

  @AfterEach
  void restore() {
    logger.setFilter(null);
  }

  private List<String> messages(String about) {
    return lines.stream().map(LogRecord::getMessage).filter(m -> m.contains(about)).toList();
  }

  /** {@link #N} elements, of which all but every tenth fail. */
  private static Dataset failing() {
    return Dataset.range(N)
        .map(x -> x.cast(DataType.INT32))
        .map(x -> x.mul(0).add(9).floorDiv(x.floorMod(10).equalTo(7).cast(DataType.INT32)));
  }

  @Test
  void manyErrors_areCounted_andHaveTenLinesAndASumAtTheEnd() {
    long read = 0;
    long ignored;
    try (ElementIterator elements = failing().ignoreErrors(true).iterator()) {
      while (elements.hasNext()) {
        var _ = elements.next();
        read++;
      }
      ignored = elements.errorsIgnored();
    }

    assertThat(read).isEqualTo(N / 10);
    assertThat(ignored).isEqualTo(N - N / 10);
    assertThat(messages("an element is left out: ")).hasSize(10);
    assertThat(messages("more elements were left out")).hasSizeLessThan(10);
    assertThat(lines.getLast().getMessage())
        .contains("more elements were left out", " 900 in all", "division by zero");
  }

  @Test
  void errorsThatAreNotLogged_areCounted() {
    try (ElementIterator elements = failing().ignoreErrors().iterator()) {
      while (elements.hasNext()) {
        var _ = elements.next();
      }
      assertThat(elements.errorsIgnored()).isEqualTo(N - N / 10);
    }
  }

  @Test
  void errorsWithoutEnd_haveASumEachTenSeconds() {
    AtomicLong nanos = new AtomicLong();
    IgnoredErrors errors = new IgnoredErrors();
    for (int i = 0; i < 3500; i++) {
      errors.add(StatusException.invalidArgument("error %d", i), true, nanos::get);
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
    }

    assertThat(messages("an element is left out: ")).hasSize(10);
    assertThat(messages("more elements"))
        .containsExactly(
            "1000 more elements were left out in the last 10 s, 1010 in all; the last one: error"
                + " 1009",
            "1000 more elements were left out in the last 10 s, 2010 in all; the last one: error"
                + " 2009",
            "1000 more elements were left out in the last 10 s, 3010 in all; the last one: error"
                + " 3009");
  }
}
