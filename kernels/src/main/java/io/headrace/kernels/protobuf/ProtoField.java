package io.headrace.kernels.protobuf;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.headrace.runtime.tensor.DataType;

/**
 * A field that is decoded.
 *
 * @param descriptor what it is in its message
 * @param index its place among the fields asked for
 * @param dtype of its values
 */
record ProtoField(FieldDescriptor descriptor, int index, DataType dtype) {
  int number() {
    return descriptor.getNumber();
  }

  FieldDescriptor.Type type() {
    return descriptor.getType();
  }

  boolean isRepeated() {
    return descriptor.isRepeated();
  }

  /** The value that stands for a missing one: a Number, a Boolean or a {@code byte[]}. */
  Object defaultValue() {
    if (type() == FieldDescriptor.Type.ENUM) {
      return isRepeated()
          ? descriptor.getEnumType().getValues().getFirst().getNumber()
          : ((EnumValueDescriptor) descriptor.getDefaultValue()).getNumber();
    }
    if (dtype == DataType.STRING) {
      return defaultBytes();
    }
    if (isRepeated()) {
      return dtype == DataType.BOOL ? (Object) false : (Object) 0;
    }
    return descriptor.getDefaultValue();
  }

  /** The default of strings and bytes, which ends before the first 0. */
  private byte[] defaultBytes() {
    if (isRepeated() || FieldDescriptor.JavaType.MESSAGE == descriptor.getJavaType()) {
      return new byte[0];
    }
    Object value = descriptor.getDefaultValue();
    ByteString bytes = value instanceof ByteString b ? b : ByteString.copyFromUtf8((String) value);
    int end = 0;
    while (end < bytes.size() && bytes.byteAt(end) != 0) {
      end++;
    }
    return bytes.substring(0, end).toByteArray();
  }
}
