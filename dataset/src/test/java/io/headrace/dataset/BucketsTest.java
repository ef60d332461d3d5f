package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class BucketsTest {
  private static void refused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(StatusException.class).hasMessageContaining(message);
  }

  @Test
  void of_boundariesAndSizesThatDoNotFit_isInvalidArgument() {
    refused(() -> Buckets.of(new long[] {3}, new long[] {1}), "1 boundaries make 2 buckets");
    refused(() -> Buckets.of(new long[] {3, 3}, new long[] {1, 1, 1}), "must increase");
    refused(() -> Buckets.of(new long[] {3}, new long[] {1, 0}), "must be at least 1");
  }

  @Test
  void bucketBySequenceLength_withALengthThatIsNoInteger_isInvalidArgument() {
    Dataset dataset = Dataset.range(3).map(Ops::range);

    refused(
        () ->
            dataset.bucketBySequenceLength(
                SymbolicElement::output, Buckets.of(new long[] {3}, new long[] {1, 1})),
        "the length of an element must be a scalar of int32 or int64, and is int64[?]");
  }

  @Test
  void padToBoundary_ofAnElementAsLongAsTheLastBoundary_fails() {
    Dataset dataset =
        Dataset.tensors(Tensor.scalar(4L))
            .map(Ops::range)
            .bucketBySequenceLength(
                x -> x.output().shapeTensor().at(0),
                Buckets.of(new long[] {2, 4}, new long[] {1, 1, 1}).padToBoundary());

    refused(() -> dataset.iterator().next(), "must be shorter than the last boundary, 4");
  }
}
