package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Lambdas that return null, or something else that is no result. */
@SuppressWarnings("NullAway") // the nulls that it refuses
final class NullResultTest {
  private static final Dataset NUMBERS = Dataset.range(3);

  @ParameterizedTest(name = "{0}")
  @MethodSource("calls")
  void call_lambdaReturnsNull_isInvalidArgumentNamingTheMethodAndTheLine(
      String method, Runnable call) {
    assertThatThrownBy(call::run)
        .hasMessageContaining("the function given to " + method + " at " + getClass().getName())
        .hasMessageMatching(
            "(?s).*\\(NullResultTest\\.java:\\d+\\) returned .*it must return an? .*")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void nullInAMapOrList_isNamedByItsPlace() {
    assertThatThrownBy(() -> NUMBERS.map(_ -> Collections.singletonMap("x", null)))
        .hasMessageContaining("returned null as \"x\" of a map; it must return");
    assertThatThrownBy(() -> NUMBERS.map(x -> Arrays.asList(x, null)))
        .hasMessageContaining("returned null as part 1 of a list; it must return");
  }

  static Stream<Arguments> calls() {
    return Stream.of(
        call("Dataset.map", () -> NUMBERS.map(_ -> null)),
        call("Dataset.map", () -> NUMBERS.map(_ -> null, 2)),
        call("Dataset.map", () -> NUMBERS.map(x -> Arrays.asList(x, null))),
        call("Dataset.map", () -> NUMBERS.map(_ -> Collections.singletonMap("x", null))),
        call("Dataset.map", () -> NUMBERS.map(_ -> "text")),
        call("Dataset.mapElement", () -> NUMBERS.mapElement(_ -> null)),
        call("Dataset.filter", () -> NUMBERS.filter(_ -> null)),
        call("Dataset.filterElement", () -> NUMBERS.filterElement(_ -> null)),
        call("Dataset.flatMap", () -> NUMBERS.flatMap(_ -> null)),
        call("Dataset.flatMap", () -> NUMBERS.map(x -> x).flatMap(_ -> null)),
        call("Dataset.filter", () -> NUMBERS.flatMap(x -> Dataset.range(x).filter(_ -> null))),
        call("Dataset.interleave", () -> NUMBERS.interleave(_ -> null, Interleave.cycle(2))),
        call("Dataset.groupByWindow", () -> NUMBERS.groupByWindow(_ -> null, 2, (_, g) -> g)),
        call(
            "Dataset.groupByWindow",
            () -> NUMBERS.groupByWindow(SymbolicElement::output, 2, (_, _) -> null)),
        call("Dataset.scan", () -> NUMBERS.scan(List.of(Tensor.scalar(0L)), (_, _) -> null)),
        call("Dataset.apply", () -> NUMBERS.apply(_ -> null)),
        call("Ops.cond", () -> NUMBERS.map(x -> Ops.cond(x.equalTo(0), () -> null, List::of))),
        call(
            "Ops.cond", () -> NUMBERS.map(x -> Ops.cond(x.equalTo(0), () -> one(null), List::of))));
  }

  private static List<Output> one(Output output) {
    return Arrays.asList(output);
  }

  private static Arguments call(String method, Runnable call) {
    return Arguments.of(method, call);
  }
}
