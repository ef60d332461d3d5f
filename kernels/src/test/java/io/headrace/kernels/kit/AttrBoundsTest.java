package io.headrace.kernels.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The messages are stock's, whose Python refuses what is below a minimum before its kernels. */
final class AttrBoundsTest {
  private static final Op OP =
      Op.define("Counted(x: int64) -> y: int64")
          .attrs("n: int")
          .shape(ShapeFunctions.SAME)
          .stateless(call -> call.setOutput(0, call.input(0)));

  private static Attrs attrs(long n) {
    return new Attrs("node", OP, Map.of("n", AttrValue.newBuilder().setI(n).build()));
  }

  @Test
  void valuesWithinBounds_areGiven() {
    assertThat(AttrBounds.atLeast(-1, attrs(-1), "n")).isEqualTo(-1);
    assertThat(AttrBounds.atLeast(1, attrs(1L << 40), "n")).isEqualTo(1L << 40);
    assertThat(AttrBounds.int32AtLeast(1, attrs(Integer.MAX_VALUE), "n"))
        .isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void valueBelowMinimum_isRefused() {
    assertThatThrownBy(() -> AttrBounds.atLeast(-1, attrs(-2), "n"))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Value for attr 'n' of -2 must be at least minimum -1");
    assertThatThrownBy(() -> AttrBounds.int32AtLeast(1, attrs(0), "n"))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Value for attr 'n' of 0 must be at least minimum 1");
  }

  @Test
  void valueThatIsNoInt32_isRefused() {
    assertThatThrownBy(() -> AttrBounds.int32AtLeast(1, attrs(1L << 31), "n"))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Attr n has value 2147483648 out of range for an int32");
  }
}
