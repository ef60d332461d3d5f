package io.headrace.kernels.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memory of a beam search, whose tree holds sequences as long as the input, is bounded. */
final class CtcBeamSearchTest {
  private static final int STEPS = 3000;

  private final long bound = TensorLimit.maxBytes();

  private final CtcBeamSearch search =
      new CtcBeamSearch(LogArithmetic.DOUBLE, 3, 4, new Cancellation());

  @BeforeEach
  void lowerTheBound() {
    TensorLimit.setMaxBytes(1 << 16);
  }

  @AfterEach
  void restoreTheBound() {
    TensorLimit.setMaxBytes(bound);
  }

  @Test
  void step_sequencesTooLong_isRefused() {
    assertThatThrownBy(
            () -> {
              for (int t = 0; t < STEPS; t++) {
                search.step(t % 2 == 0 ? new double[] {9, 0, 0} : new double[] {0, 9, 0});
              }
            })
        .hasMessageContaining("the beam search of CTC knows 274 sequences")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }

  @Test
  void step_manyBlanks_keepsFewSequences() {
    for (int t = 0; t < STEPS; t++) {
      search.step(new double[] {t % 3, t % 2, 9});
    }

    assertThat(search.best(1).getFirst().length).isLessThan(4);
  }
}
