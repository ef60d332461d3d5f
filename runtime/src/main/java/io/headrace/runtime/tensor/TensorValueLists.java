package io.headrace.runtime.tensor;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Arrays;

/**
 * The {@code *_val} forms of TensorProto: a list of values whose last one repeats to the end; an
 * empty list stands for zeros or empty strings.
 */
final class TensorValueLists {
  private TensorValueLists() {}

  static Tensor read(DataType dtype, Shape shape, TensorProto proto) {
    int slots = dtype.kind().slots();
    int values = count(dtype, proto);
    if (values > (long) shape.elements() * slots || values % slots != 0) {
      throw StatusException.invalidArgument(
          "a tensor %s%s cannot have %d values in its list", dtype.tfName(), shape, values);
    }
    Object array = TensorLimit.allocate(dtype, shape);
    fill(dtype, proto, array, values);
    if (values > 0 || !dtype.kind().isFixedWidth()) {
      repeatLast(dtype, array, values);
    }
    return Tensor.wrap(dtype, shape, array);
  }

  /**
   * Adds all elements of {@code tensor}, which must not contain resource handles, to {@code proto}.
   */
  static void write(Tensor tensor, TensorProto.Builder proto) {
    DataType dtype = tensor.dtype();
    if (dtype.isFloat8()) {
      proto.setFloat8Val(TensorContent.write(tensor));
      return;
    }
    int first = tensor.offset() * dtype.kind().slots();
    int end = first + tensor.elements() * dtype.kind().slots();
    for (int i = first; i < end; i++) {
      var _ =
          switch (tensor.array()) {
            case float[] a ->
                dtype == DataType.FLOAT32 ? proto.addFloatVal(a[i]) : proto.addScomplexVal(a[i]);
            case double[] a ->
                dtype == DataType.FLOAT64 ? proto.addDoubleVal(a[i]) : proto.addDcomplexVal(a[i]);
            case byte[] a -> writeByte(dtype, a[i], proto);
            case short[] a -> writeShort(dtype, a[i], proto);
            case int[] a ->
                dtype == DataType.UINT32 ? proto.addUint32Val(a[i]) : proto.addIntVal(a[i]);
            case long[] a ->
                dtype == DataType.UINT64 ? proto.addUint64Val(a[i]) : proto.addInt64Val(a[i]);
            case byte[][] a -> proto.addStringVal(ByteString.copyFrom(a[i]));
            case Object[] a -> proto.addVariantVal(encoded(dtype, a[i]));
            default -> throw new AssertionError(dtype);
          };
    }
  }

  private static VariantTensorDataProto encoded(DataType dtype, Object value) {
    if (value instanceof Variant variant) {
      return variant.encode();
    }
    throw StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "a %s holding a %s cannot leave its process",
        dtype.tfName(),
        value.getClass().getSimpleName());
  }

  private static TensorProto.Builder writeByte(
      DataType dtype, byte value, TensorProto.Builder proto) {
    return switch (dtype) {
      case BOOL -> proto.addBoolVal(value != 0);
      case INT4, UINT4, INT2, UINT2 -> proto.addIntVal(TensorValueText.smallInteger(dtype, value));
      default -> proto.addIntVal(dtype.isUnsigned() ? value & 0xff : value);
    };
  }

  private static TensorProto.Builder writeShort(
      DataType dtype, short value, TensorProto.Builder proto) {
    return dtype == DataType.FLOAT16 || dtype == DataType.BFLOAT16
        ? proto.addHalfVal(value & 0xffff)
        : proto.addIntVal(dtype.isUnsigned() ? value & 0xffff : value);
  }

  private static int count(DataType dtype, TensorProto proto) {
    return switch (dtype) {
      case FLOAT32 -> proto.getFloatValCount();
      case FLOAT64 -> proto.getDoubleValCount();
      case INT8, INT16, INT32, UINT8, UINT16, QINT8, QUINT8, QINT16, QUINT16, QINT32 ->
          proto.getIntValCount();
      case INT4, UINT4, INT2, UINT2 -> proto.getIntValCount();
      case FLOAT8_E5M2,
          FLOAT8_E4M3FN,
          FLOAT8_E4M3FNUZ,
          FLOAT8_E4M3B11FNUZ,
          FLOAT8_E5M2FNUZ,
          FLOAT4_E2M1FN ->
          proto.getFloat8Val().size();
      case STRING -> proto.getStringValCount();
      case COMPLEX64 -> proto.getScomplexValCount();
      case COMPLEX128 -> proto.getDcomplexValCount();
      case INT64 -> proto.getInt64ValCount();
      case BOOL -> proto.getBoolValCount();
      case FLOAT16, BFLOAT16 -> proto.getHalfValCount();
      case RESOURCE -> proto.getResourceHandleValCount();
      case VARIANT -> proto.getVariantValCount();
      case UINT32 -> proto.getUint32ValCount();
      case UINT64 -> proto.getUint64ValCount();
    };
  }

  private static void fill(DataType dtype, TensorProto proto, Object array, int values) {
    for (int i = 0; i < values; i++) {
      switch (array) {
        case float[] a ->
            a[i] = dtype == DataType.FLOAT32 ? proto.getFloatVal(i) : proto.getScomplexVal(i);
        case double[] a ->
            a[i] = dtype == DataType.FLOAT64 ? proto.getDoubleVal(i) : proto.getDcomplexVal(i);
        case byte[] a -> a[i] = readByte(dtype, proto, i);
        case short[] a ->
            a[i] =
                dtype == DataType.FLOAT16 || dtype == DataType.BFLOAT16
                    ? (short) proto.getHalfVal(i)
                    : (short) proto.getIntVal(i);
        case int[] a ->
            a[i] = dtype == DataType.UINT32 ? proto.getUint32Val(i) : proto.getIntVal(i);
        case long[] a ->
            a[i] = dtype == DataType.UINT64 ? proto.getUint64Val(i) : proto.getInt64Val(i);
        case byte[][] a -> a[i] = proto.getStringVal(i).toByteArray();
        case Object[] a ->
            a[i] =
                dtype == DataType.RESOURCE
                    ? proto.getResourceHandleVal(i)
                    : new Variant.Encoded(proto.getVariantVal(i));
        default -> throw new AssertionError(array.getClass());
      }
    }
  }

  private static byte readByte(DataType dtype, TensorProto proto, int index) {
    if (dtype.isFloat8()) {
      return proto.getFloat8Val().byteAt(index);
    }
    return (byte)
        (dtype == DataType.BOOL ? proto.getBoolVal(index) ? 1 : 0 : proto.getIntVal(index));
  }

  private static void repeatLast(DataType dtype, Object array, int values) {
    int slots = dtype.kind().slots();
    switch (array) {
      case float[] a -> repeatLast(a, values, slots);
      case double[] a -> repeatLast(a, values, slots);
      case byte[] a -> Arrays.fill(a, values, a.length, a.length == 0 ? 0 : a[values - 1]);
      case short[] a -> Arrays.fill(a, values, a.length, a.length == 0 ? 0 : a[values - 1]);
      case int[] a -> Arrays.fill(a, values, a.length, a.length == 0 ? 0 : a[values - 1]);
      case long[] a -> Arrays.fill(a, values, a.length, a.length == 0 ? 0 : a[values - 1]);
      case byte[][] a ->
          Arrays.fill(a, values, a.length, values == 0 ? new byte[0] : a[values - 1]);
      case Object[] a -> {
        if (values == 0 && a.length > 0) {
          throw StatusException.invalidArgument("a %s tensor has no value", dtype.tfName());
        }
        Arrays.fill(a, values, a.length, a.length == 0 ? dtype : a[values - 1]);
      }
      default -> throw new AssertionError(array.getClass());
    }
  }

  private static void repeatLast(float[] a, int values, int slots) {
    for (int i = values; i < a.length; i++) {
      a[i] = a[i - slots];
    }
  }

  private static void repeatLast(double[] a, int values, int slots) {
    for (int i = values; i < a.length; i++) {
      a[i] = a[i - slots];
    }
  }
}
