package io.headrace.kernels.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import org.junit.jupiter.api.Test;

/** The bound on the classes that are counted. */
final class LearnedUnigramsTest {
  @Test
  void rangeWhoseCountsDoNotFitAnInt_isRefused() {
    assertThatThrownBy(() -> new LearnedUnigrams(Integer.MAX_VALUE))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }
}
