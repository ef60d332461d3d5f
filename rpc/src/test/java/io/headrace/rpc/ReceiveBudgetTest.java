package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import org.junit.jupiter.api.Test;

final class ReceiveBudgetTest {
  private final ReceiveBudget budget = ReceiveBudget.ofBytes(100);

  @Test
  void acquire_beyondTheLimit_isResourceExhaustedNamingThePeer() {
    budget.acquire(60, "10.0.0.1:77");

    assertThatThrownBy(() -> budget.acquire(41, "10.0.0.2:88"))
        .hasMessageContaining("10.0.0.2:88")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }

  @Test
  void acquire_refused_takesNothing() {
    budget.acquire(60, "a");
    assertThatThrownBy(() -> budget.acquire(41, "b")).isInstanceOf(StatusException.class);

    assertThat(budget.heldBytes()).isEqualTo(60);
  }

  @Test
  void release_makesRoom() {
    budget.acquire(100, "a");
    budget.release(100);

    budget.acquire(100, "b");

    assertThat(budget.heldBytes()).isEqualTo(100);
  }
}
