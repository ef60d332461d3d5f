package io.headrace.kernels.example;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of parsing a vector of examples, or a single one: the parser fills them, then the
 * kernel reads the tensors. Not thread-safe.
 */
final class ParsedExamples {
  private final List<ExampleFeature> features;
  private final int examples;
  private final boolean isVector;
  private final List<@Nullable Object> dense = new ArrayList<>();
  private final List<@Nullable FeatureBuffer> buffers = new ArrayList<>();

  ParsedExamples(List<ExampleFeature> features, int examples, boolean isVector) {
    this.features = features;
    this.examples = examples;
    this.isVector = isVector;
    for (ExampleFeature feature : features) {
      boolean fixed = feature instanceof ExampleFeature.Dense;
      dense.add(
          feature instanceof ExampleFeature.Dense d
              ? TensorLimit.allocate(d.dtype(), d.shape().prepend(examples))
              : null);
      buffers.add(fixed ? null : new FeatureBuffer(feature.dtype(), examples));
    }
  }

  boolean isVector() {
    return isVector;
  }

  /** The output array of dense feature {@code i}. */
  Object dense(int i) {
    return Objects.requireNonNull(dense.get(i));
  }

  /** The values of feature {@code i}, which has variable length. */
  FeatureBuffer buffer(int i) {
    return Objects.requireNonNull(buffers.get(i));
  }

  /** The values of feature {@code i}: dense, padded, or flat if it is sparse or ragged. */
  Tensor values(int i) {
    return switch (features.get(i)) {
      case ExampleFeature.Dense d ->
          Tensor.wrap(d.dtype(), isVector ? d.shape().prepend(examples) : d.shape(), dense(i));
      case ExampleFeature.Varlen v -> isVector ? padded(v, buffer(i)) : unpadded(v, buffer(i));
      case ExampleFeature.Sparse s -> flat(s.dtype(), buffer(i));
      case ExampleFeature.Ragged r -> flat(r.dtype(), buffer(i));
    };
  }

  private static Tensor flat(DataType dtype, FeatureBuffer buffer) {
    return Tensor.wrap(dtype, Shape.of(buffer.size()), buffer.values()).detach();
  }

  private static Tensor unpadded(ExampleFeature.Varlen feature, FeatureBuffer buffer) {
    int stride = feature.inner().elements();
    Shape shape = feature.inner().prepend(stride == 0 ? 0 : buffer.size() / stride);
    return flat(feature.dtype(), buffer).reshape(shape);
  }

  private Tensor padded(ExampleFeature.Varlen feature, FeatureBuffer buffer) {
    int stride = feature.inner().elements();
    int rows = stride == 0 ? 0 : buffer.longest() / stride;
    Shape shape = feature.inner().prepend(rows).prepend(examples);
    Object array = TensorLimit.allocate(feature.dtype(), shape);
    int perExample = rows * stride;
    Tensor padding = feature.padding();
    for (int e = 0; e < examples; e++) {
      int count = buffer.end(e) - buffer.start(e);
      int at = e * perExample;
      feature.dtype().kind().copy(buffer.values(), buffer.start(e), array, at, count);
      for (int j = count; j < perExample; j++) {
        feature
            .dtype()
            .kind()
            .copy(TensorMemory.array(padding), TensorMemory.offset(padding), array, at + j, 1);
      }
    }
    return Tensor.wrap(feature.dtype(), shape, array);
  }

  /** The indices of sparse feature {@code i}: (example, position), or position if scalar. */
  Tensor sparseIndices(int i) {
    FeatureBuffer buffer = buffer(i);
    int columns = isVector ? 2 : 1;
    Shape shape = Shape.of(buffer.size(), columns);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    int at = 0;
    for (int e = 0; e < examples; e++) {
      for (int j = buffer.start(e); j < buffer.end(e); j++) {
        if (isVector) {
          indices[at++] = e;
        }
        indices[at++] = (long) j - buffer.start(e);
      }
    }
    return Tensor.wrap(DataType.INT64, shape, indices);
  }

  /** The dense shape of sparse feature {@code i}. */
  Tensor sparseShape(int i) {
    long longest = buffer(i).longest();
    return isVector ? Tensor.vector((long) examples, longest) : Tensor.vector(longest);
  }

  /** The row splits of ragged feature {@code i}; empty for a single example. */
  Tensor raggedSplits(int i) {
    DataType dtype = ((ExampleFeature.Ragged) features.get(i)).splits();
    Shape shape = Shape.of(isVector ? examples + 1 : 0);
    Object splits = TensorLimit.allocate(dtype, shape);
    for (int e = 0; isVector && e < examples; e++) {
      switch (splits) {
        case int[] a -> a[e + 1] = buffer(i).end(e);
        case long[] a -> a[e + 1] = buffer(i).end(e);
        default -> throw new AssertionError(dtype);
      }
    }
    return Tensor.wrap(dtype, shape, splits);
  }
}
