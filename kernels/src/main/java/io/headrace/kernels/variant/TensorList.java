package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.Shapes;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A list of tensors as the value of a variant tensor, which backs a TensorArray in TensorFlow 2.
 * Immutable and persistent: a changed list shares the unchanged elements.
 *
 * @param items the elements, each set or unset
 * @param elementType the dtype of all elements
 * @param elementShape a partial shape with which the shapes of all elements are compatible
 * @param maxElements the size to which the list may grow by pushes; -1 for no bound
 */
public record TensorList(
    TensorVector items, DataType elementType, Shape elementShape, int maxElements)
    implements Variant, AddableVariant {
  /** TensorFlow's registered type name. */
  static final String TYPE_NAME = "tensorflow::TensorList";

  static final int UNBOUNDED = -1;

  /** Bytes of the longest varint. */
  private static final int MAX_VARINT_BYTES = 10;

  int size() {
    return items.size();
  }

  TensorList withItems(TensorVector newItems) {
    return new TensorList(newItems, elementType, elementShape, maxElements);
  }

  /** The list in the scalar {@code handle}; INVALID_ARGUMENT if it is not a list. */
  static TensorList of(Tensor handle) {
    if (handle.shape().rank() != 0) {
      throw invalidArgument("Input list must be a scalar saw: %s", handle.shape());
    }
    return ofElement(handle, 0);
  }

  /** The list in element {@code index} of {@code handles}; INVALID_ARGUMENT if it is not a list. */
  static TensorList ofElement(Tensor handles, int index) {
    return switch (handles.reference(index)) {
      case TensorList list -> list;
      case Encoded(VariantTensorDataProto proto) when proto.getTypeName().equals(TYPE_NAME) ->
          decode(proto);
      case Object other ->
          throw invalidArgument(
              "Input handle is not a list. Saw: '%s'", other.getClass().getSimpleName());
    };
  }

  @Override
  public String typeName() {
    return TYPE_NAME;
  }

  @Override
  public TensorList zeros() {
    TensorVector result = items;
    for (int i = 0; i < items.size(); i++) {
      @Nullable Tensor item = items.get(i);
      if (item != null) {
        result = result.with(i, VariantMath.zeros(item));
      }
    }
    return withItems(result);
  }

  /** The elementwise sum; an element that is unset in one list is taken from the other. */
  @Override
  public TensorList plus(AddableVariant other) {
    TensorList list = (TensorList) other;
    checkType(list.elementType);
    if (size() != list.size()) {
      throw invalidArgument(
          "Trying to add two lists of tensors with different lengths. One is %d and the other is"
              + " %d",
          size(), list.size());
    }
    Shape shape = merge(elementShape, list.elementShape);
    TensorVector sums = items;
    for (int i = 0; i < size(); i++) {
      @Nullable Tensor mine = items.get(i);
      @Nullable Tensor others = list.items.get(i);
      if (others != null) {
        sums = sums.with(i, mine == null ? others : VariantMath.sum(mine, others));
      }
    }
    return new TensorList(sums, elementType, shape, maxElements);
  }

  /*
   * The format of TensorFlow's TensorList::Encode. Metadata: the number of unset elements, the
   * index of each, the dtype and the bound as varints, then the element shape as a
   * TensorShapeProto. The tensors of the message are the set elements, in order.
   */

  @Override
  public VariantTensorDataProto encode() {
    VariantTensorDataProto.Builder proto =
        VariantTensorDataProto.newBuilder().setTypeName(TYPE_NAME);
    BitSet set = new BitSet();
    items.forEachSet((index, tensor) -> {
      set.set(index);
      proto.addTensors(TensorProtos.write(tensor));
    });
    int unset = size() - set.cardinality();
    ByteString.Output bytes = ByteString.newOutput();
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      if ((long) unset * MAX_VARINT_BYTES > TensorLimit.maxBytes()) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "a list with %d elements that are not set is too large to travel",
            unset);
      }
      out.writeUInt64NoTag(unset);
      for (int i = set.nextClearBit(0); i < size(); i = set.nextClearBit(i + 1)) {
        out.writeUInt64NoTag(i);
      }
      out.writeUInt64NoTag(elementType.number());
      out.writeUInt64NoTag(maxElements);
      out.writeRawBytes(TensorProtos.shape(elementShape).toByteString());
      out.flush();
    } catch (IOException e) {
      throw new AssertionError("writing to memory", e);
    }
    return proto.setMetadata(bytes.toByteString()).build();
  }

  private static TensorList decode(VariantTensorDataProto proto) {
    try {
      CodedInputStream in = proto.getMetadata().newCodedInput();
      long unset = in.readUInt64();
      int metadataBytes = proto.getMetadata().size();
      if (unset < 0 || unset > metadataBytes) {
        throw invalidArgument(
            "a tensor list of %d bytes says that %d are not set", metadataBytes, unset);
      }
      long size = proto.getTensorsCount() + unset;
      BitSet isUnset = new BitSet();
      for (long i = 0; i < unset; i++) {
        long index = in.readUInt64();
        if (index < 0 || index >= size) {
          throw invalidArgument("a tensor list of %d elements lacks element %d", size, index);
        }
        isUnset.set((int) index);
      }
      DataType dtype = DataType.ofNumber((int) in.readUInt64());
      int maxElements = (int) in.readUInt64();
      Shape shape =
          TensorProtos.shape(
              TensorShapeProto.parseFrom(in.readRawBytes(metadataBytes - in.getTotalBytesRead())));
      TensorVector items = TensorVector.EMPTY.resized((int) size);
      int next = isUnset.nextClearBit(0);
      for (int i = 0; i < proto.getTensorsCount() && next < size; i++) {
        Tensor tensor = TensorProtos.read(proto.getTensors(i));
        if (tensor.dtype() != dtype) {
          throw invalidArgument(
              "a tensor list of %s holds %s", dtype.tfName(), tensor.typeAndShape());
        }
        items = items.with(next, tensor);
        next = isUnset.nextClearBit(next + 1);
      }
      return new TensorList(items, dtype, shape, maxElements);
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "the metadata of a tensor list is malformed: " + e, e);
    }
  }

  void checkType(DataType op) {
    if (op != elementType) {
      throw invalidArgument(
          "Invalid data types; op elements %s but list elements %s",
          op.tfName(), elementType.tfName());
    }
  }

  /** The most specific shape compatible with both; INVALID_ARGUMENT if they are incompatible. */
  public static Shape merge(Shape shape, Shape other) {
    if (shape.rank() >= 0 && other.rank() >= 0 && shape.rank() != other.rank()) {
      throw invalidArgument(
          "PartialTensorShape: Incompatible ranks during merge: %d vs. %d",
          shape.rank(), other.rank());
    }
    if (!shape.isCompatibleWith(other)) {
      throw invalidArgument(
          "PartialTensorShape: Incompatible shapes during merge: %s vs. %s", shape, other);
    }
    return Shapes.merge(shape, other);
  }

  /** The partial shape in {@code input}: a scalar -1 for unknown rank, or a vector of sizes. */
  static Shape shapeFrom(Tensor input) {
    if (input.shape().rank() == 0) {
      if (input.integer(0) != Shape.UNKNOWN_DIMENSION) {
        throw invalidArgument(
            "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
      }
      return Shape.UNKNOWN;
    }
    if (input.shape().rank() != 1) {
      throw invalidArgument("a shape must be a vector of sizes, and is %s", input.typeAndShape());
    }
    long[] sizes = input.integers();
    for (long size : sizes) {
      if (size < Shape.UNKNOWN_DIMENSION) {
        throw invalidArgument("Dimension %d must be >= -1", size);
      }
    }
    return Shape.of(sizes);
  }

  /** A new tensor of zeros or empty strings: the value read from an unset element. */
  public static Tensor zeros(DataType dtype, Shape shape) {
    Object array = TensorLimit.allocate(dtype, shape);
    if (array instanceof byte[][] strings) {
      Arrays.fill(strings, ByteStrings.EMPTY);
    } else if (!dtype.kind().isFixedWidth() && shape.elements() > 0) {
      throw invalidArgument("an element of dtype %s that is not set has no value", dtype.tfName());
    }
    return Tensor.wrap(dtype, shape, array);
  }
}
