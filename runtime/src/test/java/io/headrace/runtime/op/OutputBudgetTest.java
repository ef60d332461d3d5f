package io.headrace.runtime.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import org.junit.jupiter.api.Test;

final class OutputBudgetTest {
  private static final Tensor KILOBYTE =
      Tensor.wrap(DataType.UINT8, Shape.of(1024), new byte[1024]);

  private static void assertExhausted(OutputBudget budget) {
    assertThatThrownBy(() -> budget.take(KILOBYTE))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
        .hasMessageContaining("bound of 3000 bytes");
  }

  @Test
  void take_beyondTheBound_isRefused() {
    OutputBudget budget = OutputBudget.ofBytes(3000);
    budget.take(KILOBYTE);
    budget.take(KILOBYTE);

    assertExhausted(budget);
  }

  @Test
  void take_fromAnotherPart_countsUntilThatIsClosed() {
    OutputBudget budget = OutputBudget.ofBytes(3000);
    OutputBudget mine = budget.part();
    try (OutputBudget other = budget.part()) {
      other.take(KILOBYTE);
      other.take(KILOBYTE);
      assertExhausted(mine);
    }

    assertThatCode(() -> mine.take(KILOBYTE)).doesNotThrowAnyException();
  }
}
