package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.TensorEquality;
import io.headrace.kernels.kit.TensorText;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A map from tensors to tensors as the value of a variant tensor. Keys are equal if they have one
 * dtype, one shape and the same bits. Immutable.
 */
final class TensorMap implements Variant, AddableVariant {
  /** TensorFlow's registered type name. */
  static final String TYPE_NAME = "tensorflow::TensorMap";

  static final TensorMap EMPTY = new TensorMap(new LinkedHashMap<>());

  /** The number of elements of a key that messages show. */
  private static final int SHOWN_ELEMENTS = 100;

  /** A key, by its value. */
  private record Key(Tensor tensor) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key(Tensor others)
          && tensor.dtype() == others.dtype()
          && tensor.shape().equals(others.shape())
          && TensorEquality.equal(tensor, others);
    }

    @Override
    public int hashCode() {
      return 31 * tensor.shape().hashCode() + TensorEquality.hash(tensor);
    }
  }

  private final Map<Key, Tensor> entries;

  private TensorMap(Map<Key, Tensor> entries) {
    this.entries = Collections.unmodifiableMap(entries);
  }

  /** The map in the scalar {@code handle}; INVALID_ARGUMENT if it is not a map. */
  static TensorMap of(Tensor handle) {
    if (handle.shape().rank() != 0) {
      throw invalidArgument("Input map must be a scalar. Saw: %s", handle.shape());
    }
    return ofElement(handle, 0);
  }

  /** The map in element {@code index} of {@code handles}; INVALID_ARGUMENT if it is not a map. */
  static TensorMap ofElement(Tensor handles, int index) {
    return switch (handles.reference(index)) {
      case TensorMap map -> map;
      case Encoded(VariantTensorDataProto proto) when proto.getTypeName().equals(TYPE_NAME) ->
          decode(proto);
      case Object other ->
          throw invalidArgument(
              "Input handle is not a map. Saw: '%s'", other.getClass().getSimpleName());
    };
  }

  int size() {
    return entries.size();
  }

  boolean has(Tensor key) {
    return entries.containsKey(new Key(key));
  }

  /** The value of {@code key}; INVALID_ARGUMENT if it has none. */
  Tensor value(Tensor key) {
    @Nullable Tensor value = entries.get(new Key(key));
    if (value == null) {
      throw missing("lookup non-existent key", key);
    }
    return value;
  }

  /** This map with {@code value} for {@code key}. */
  TensorMap with(Tensor key, Tensor value) {
    Map<Key, Tensor> changed = new LinkedHashMap<>(entries);
    changed.put(new Key(key.compact()), value);
    return new TensorMap(changed);
  }

  /** This map without {@code key}; INVALID_ARGUMENT if it has no value. */
  TensorMap without(Tensor key) {
    Map<Key, Tensor> changed = new LinkedHashMap<>(entries);
    if (changed.remove(new Key(key)) == null) {
      throw missing("erase non-existent item", key);
    }
    return new TensorMap(changed);
  }

  private static RuntimeException missing(String attempt, Tensor key) {
    return invalidArgument(
        "Trying to %s. Could not find key \"%s\".",
        attempt, TensorText.summary(key, SHOWN_ELEMENTS));
  }

  /** The keys, in the order in which they were first inserted. */
  List<Tensor> keys() {
    return entries.keySet().stream().map(Key::tensor).toList();
  }

  @Override
  public String typeName() {
    return TYPE_NAME;
  }

  @Override
  public TensorMap zeros() {
    return EMPTY;
  }

  /** All entries of both maps; the values of a key that both have are added. */
  @Override
  public TensorMap plus(AddableVariant other) {
    Map<Key, Tensor> sums = new LinkedHashMap<>(entries);
    ((TensorMap) other).entries.forEach((key, value) -> sums.merge(key, value, VariantMath::sum));
    return new TensorMap(sums);
  }

  /** The keys, each followed by its value, as the tensors of the message. */
  @Override
  public VariantTensorDataProto encode() {
    VariantTensorDataProto.Builder proto =
        VariantTensorDataProto.newBuilder().setTypeName(TYPE_NAME);
    entries.forEach((key, value) ->
        proto.addTensors(TensorProtos.write(key.tensor)).addTensors(TensorProtos.write(value)));
    return proto.build();
  }

  private static TensorMap decode(VariantTensorDataProto proto) {
    int tensors = proto.getTensorsCount();
    if (tensors % 2 != 0) {
      throw invalidArgument("a tensor map of %d tensors has a key without a value", tensors);
    }
    Map<Key, Tensor> entries = new LinkedHashMap<>();
    for (int i = 0; i < tensors; i += 2) {
      Tensor key = TensorProtos.read(proto.getTensors(i));
      entries.putIfAbsent(new Key(key), TensorProtos.read(proto.getTensors(i + 1)));
    }
    return new TensorMap(entries);
  }
}
