package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class CacheBudgetTest {
  private final CacheBudget budget = new CacheBudget(100);
  private final CacheBudget.Share one = budget.share();
  private final CacheBudget.Share other = budget.share();

  private static void assertExhausted(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
        .hasMessageContaining("node c")
        .hasMessageContaining("--max-cache-bytes");
  }

  @Test
  void take_beyondWhatAllHold_isExhaustedNamingTheNode() {
    one.take(60, "node a");
    other.take(40, "node b");

    assertExhausted(() -> one.take(1, "node c"));
    assertThat(budget.usedBytes()).isEqualTo(100);
  }

  @Test
  void close_givesBackWhatItHolds_once() {
    one.take(60, "node a");
    other.take(40, "node b");
    one.giveBack(10);
    one.close();
    one.close();
    one.giveBack(50);

    assertThat(budget.usedBytes()).isEqualTo(40);
    other.take(60, "node b");
  }
}
