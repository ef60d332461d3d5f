package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import org.junit.jupiter.api.Test;

/** An error of dtypes in a lambda says what to write, and that works. */
final class LambdaDtypesTest {
  private static void assertRefused(Functions.Of1 lambda, String message) {
    assertThatThrownBy(() -> Dataset.range(3).map(lambda))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(message);
  }

  @Test
  void operandsOfTwoDtypes_haveACastForEach() {
    assertRefused(
        x -> x.add(x.cast(DataType.FLOAT32)),
        "input 1 of op AddV2 must be int64, as input 0 is, and is float: write cast(DataType.INT64)"
            + " for it, or cast(DataType.FLOAT32) for input 0");
    assertThat(Dataset.range(3).map(x -> x.cast(DataType.FLOAT32).add(x.cast(DataType.FLOAT32))))
        .isNotNull();
  }

  @Test
  void operandOfADtypeThatTheOpDoesNotTake_hasACast() {
    assertRefused(
        x -> x.cast(DataType.BOOL).add(x.cast(DataType.BOOL)),
        "input 0 of op AddV2 is bool, and must be one of [");
    assertRefused(
        x -> x.cast(DataType.BOOL).add(x.cast(DataType.BOOL)),
        ": write cast(DataType.FLOAT32) for it");
  }

  @Test
  void fractionBesideIntegers_hasACast() {
    assertRefused(
        x -> x.mul(0.5),
        "0.5 can't stand beside a tensor of int64: write cast(DataType.FLOAT32) for the tensor");
    assertThat(Dataset.range(3).map(x -> x.cast(DataType.FLOAT32).mul(0.5))).isNotNull();
  }

  @Test
  void stringBesideNumbers_isToBeParsed() {
    assertRefused(
        x -> x.add(x.asString()),
        "input 1 of op AddV2 must be int64, as input 0 is, and is string: write Strings.toNumber(x,"
            + " DataType.INT64) for it, or asString() for input 0");
    assertThat(Dataset.range(3).map(x -> x.add(Strings.toNumber(x.asString(), DataType.INT64))))
        .isNotNull();
  }
}
