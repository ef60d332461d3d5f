package io.headrace.kernels.protobuf;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.io.IOException;

/** Writes values of fields, without their tags. */
final class FieldWriter {
  private FieldWriter() {}

  /** Writes element {@code index} of {@code values}; of a wider dtype, the lower bits. */
  static void write(FieldDescriptor.Type type, Tensor values, int index, CodedOutputStream out)
      throws IOException {
    switch (type) {
      case DOUBLE -> out.writeDoubleNoTag(floating(values, index));
      case FLOAT -> out.writeFloatNoTag((float) floating(values, index));
      case STRING, BYTES, MESSAGE -> out.writeByteArrayNoTag(values.string(index));
      case GROUP -> out.writeRawBytes(values.string(index));
      case BOOL -> out.writeBoolNoTag(values.bool(index));
      default -> writeInteger(type, values.integer(index), out);
    }
  }

  private static double floating(Tensor values, int index) {
    int at = TensorMemory.offset(values) + index;
    return TensorMemory.array(values) instanceof float[] floats
        ? floats[at]
        : ((double[]) TensorMemory.array(values))[at];
  }

  private static void writeInteger(FieldDescriptor.Type type, long value, CodedOutputStream out)
      throws IOException {
    switch (type) {
      case INT64, UINT64 -> out.writeUInt64NoTag(value);
      case INT32 -> out.writeInt32NoTag((int) value);
      case ENUM -> out.writeEnumNoTag((int) value);
      case UINT32 -> out.writeUInt32NoTag((int) value);
      case SINT32 -> out.writeSInt32NoTag((int) value);
      case SINT64 -> out.writeSInt64NoTag(value);
      case FIXED32, SFIXED32 -> out.writeFixed32NoTag((int) value);
      case FIXED64, SFIXED64 -> out.writeFixed64NoTag(value);
      default -> throw new AssertionError(type);
    }
  }
}
