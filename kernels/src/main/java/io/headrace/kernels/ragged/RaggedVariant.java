package io.headrace.kernels.ragged;

import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ragged tensor as an element of a variant tensor, the form of ragged components in datasets.
 *
 * @param splits the row splits, int32 or int64 vectors, outermost first; none for a dense tensor
 * @param values the flat values
 */
record RaggedVariant(List<Tensor> splits, Tensor values) implements Variant {
  /** The type name in TensorFlow's variant registry. */
  private static final String TYPE_NAME = "RaggedTensorVariant";

  RaggedVariant {
    splits = List.copyOf(splits);
  }

  /** Number of ragged dimensions. */
  int raggedRank() {
    return splits.size();
  }

  /** Number of slices along the first dimension. */
  int rows() {
    return splits.isEmpty() ? (int) values.shape().size(0) : splits.getFirst().elements() - 1;
  }

  @Override
  public VariantTensorDataProto encode() {
    VariantTensorDataProto.Builder proto =
        VariantTensorDataProto.newBuilder().setTypeName(TYPE_NAME);
    splits.forEach(s -> proto.addTensors(TensorProtos.write(s)));
    return proto.addTensors(TensorProtos.write(values)).build();
  }

  /** The ragged tensor in variant {@code value}; null if it has none. */
  static @Nullable RaggedVariant of(Object value) {
    return switch (value) {
      case RaggedVariant ragged -> ragged;
      case Encoded(VariantTensorDataProto proto)
          when proto.getTypeName().equals(TYPE_NAME) && proto.getTensorsCount() > 0 ->
          read(proto.getTensorsList());
      default -> null;
    };
  }

  private static RaggedVariant read(List<TensorProto> protos) {
    List<Tensor> tensors = new ArrayList<>(protos.stream().map(TensorProtos::read).toList());
    return new RaggedVariant(tensors.subList(0, tensors.size() - 1), tensors.getLast());
  }
}
