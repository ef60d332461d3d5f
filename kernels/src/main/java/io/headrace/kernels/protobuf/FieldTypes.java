package io.headrace.kernels.protobuf;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import io.headrace.runtime.tensor.DataType;
import java.util.Set;

/** Which dtypes hold the fields of a message. */
final class FieldTypes {
  private FieldTypes() {}

  /** Whether a tensor of {@code dtype} can hold fields of {@code type}. */
  static boolean areCompatible(FieldDescriptor.Type type, DataType dtype) {
    return dtypes(type).contains(dtype);
  }

  private static Set<DataType> dtypes(FieldDescriptor.Type type) {
    return switch (type) {
      case DOUBLE -> Set.of(DataType.FLOAT64);
      case FLOAT -> Set.of(DataType.FLOAT32, DataType.FLOAT64);
      case INT64, SINT64, SFIXED64 -> Set.of(DataType.INT64);
      case UINT64, FIXED64 -> Set.of(DataType.UINT64);
      case INT32, SINT32, SFIXED32 -> Set.of(DataType.INT32, DataType.INT64);
      case UINT32, FIXED32 -> Set.of(DataType.UINT32, DataType.UINT64);
      case BOOL -> Set.of(DataType.BOOL);
      case ENUM -> Set.of(DataType.INT32);
      case STRING, BYTES, MESSAGE, GROUP -> Set.of(DataType.STRING);
    };
  }

  /** How a value of {@code type} stands on the wire. */
  static int wireType(FieldDescriptor.Type type) {
    return switch (type) {
      case DOUBLE, FIXED64, SFIXED64 -> WireFormat.WIRETYPE_FIXED64;
      case FLOAT, FIXED32, SFIXED32 -> WireFormat.WIRETYPE_FIXED32;
      case INT64, UINT64, SINT64, INT32, UINT32, SINT32, BOOL, ENUM -> WireFormat.WIRETYPE_VARINT;
      case STRING, BYTES, MESSAGE -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
      case GROUP -> WireFormat.WIRETYPE_START_GROUP;
    };
  }
}
