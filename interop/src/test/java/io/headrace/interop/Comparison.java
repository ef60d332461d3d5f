package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.interop.Results.Result;
import io.headrace.proto.data.UncompressedElement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The comparison of elements read through a service with stock TensorFlow's own. */
sealed interface Comparison {

  /** The same elements in the same order. */
  record Equal() implements Comparison {}

  /** The same elements in any order. */
  record Unordered() implements Comparison {}

  /** The same elements in any order, divided among the workers. */
  record Shared() implements Comparison {}

  /** The same types and shapes, numbers within a fraction of the larger magnitude. */
  record Close(double fraction) implements Comparison {}

  /** The same number of elements of the same types and shapes, every number in [low, high). */
  record Uniform(double low, double high) implements Comparison {}

  /** The elements before the error are a prefix of stock's, and an error of this code ends both. */
  record Fails(String code) implements Comparison {}

  /** Parses a comparison as declared in {@code pipeline.py}. */
  static Comparison parse(String text) {
    String[] words = text.split(" ", -1);
    return switch (words[0]) {
      case "equal" -> new Equal();
      case "unordered" -> new Unordered();
      case "shared" -> new Shared();
      case "close" -> new Close(Double.parseDouble(words[1]));
      case "uniform" -> new Uniform(Double.parseDouble(words[1]), Double.parseDouble(words[2]));
      case "fails" -> new Fails(words[1]);
      default -> throw new IllegalArgumentException("no comparison is named " + text);
    };
  }

  /**
   * Fails unless {@code actual} are the elements of {@code passes} workers, each of which produces
   * the whole dataset unless they share it. The elements of several workers arrive in any order.
   */
  default void check(int passes, Result expected, Result actual) {
    if (this instanceof Fails(String code)) {
      assertThat(expected.error()).startsWith(code);
      assertThat(actual.error()).startsWith(code);
      checkPrefix(expected.elements(), actual.elements());
      return;
    }
    assertThat(expected.error()).as("what stock said alone").isEmpty();
    assertThat(actual.error()).as("the error that ended it").isEmpty();
    if (passes == 1 || this instanceof Shared) {
      checkInOrder(expected.elements(), actual.elements());
    } else {
      checkInAnyOrder(passes, expected.elements(), actual.elements());
    }
  }

  private void checkInAnyOrder(
      int passes, List<UncompressedElement> expected, List<UncompressedElement> actual) {
    assertThat(actual).hasSize(passes * expected.size());
    if (this instanceof Equal || this instanceof Unordered) {
      checkCounts(passes, expected, actual);
    }
  }

  private void checkInOrder(List<UncompressedElement> expected, List<UncompressedElement> actual) {
    switch (this) {
      case Equal() -> checkEqual(expected, actual);
      case Unordered(), Shared() -> checkCounts(1, expected, actual);
      case Close(double fraction) ->
          NumericComparison.check(
              expected, actual, (e, a) -> NumericComparison.isClose(e, a, fraction));
      case Uniform(double low, double high) ->
          NumericComparison.check(expected, actual, (_, a) -> low <= a && a < high);
      case Fails _ -> throw new AssertionError("is compared by its error");
    }
  }

  private static void checkEqual(
      List<UncompressedElement> expected, List<UncompressedElement> actual) {
    checkPrefix(expected, actual);
    assertThat(actual).as("number of elements").hasSameSizeAs(expected);
  }

  private static void checkPrefix(
      List<UncompressedElement> expected, List<UncompressedElement> actual) {
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      if (!actual.get(i).equals(expected.get(i))) {
        throw new AssertionError(
            "element "
                + i
                + " differs:\n"
                + NumericComparison.difference(expected.get(i), actual.get(i)));
      }
    }
  }

  private static void checkCounts(
      int passes, List<UncompressedElement> expected, List<UncompressedElement> actual) {
    Map<UncompressedElement, Integer> counts = counts(expected);
    counts.replaceAll((_, count) -> count * passes);
    assertThat(counts(actual)).isEqualTo(counts);
  }

  private static Map<UncompressedElement, Integer> counts(List<UncompressedElement> elements) {
    Map<UncompressedElement, Integer> counts = new HashMap<>();
    elements.forEach(element -> counts.merge(element, 1, Integer::sum));
    return counts;
  }
}
