package io.headrace.kernels.protobuf;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/** Counts the values of a field. Used by one thread. */
final class FieldCounter implements FieldSink {
  private final ProtoField field;
  private int count;

  FieldCounter(ProtoField field) {
    this.field = field;
  }

  @Override
  public ProtoField field() {
    return field;
  }

  int count() {
    return count;
  }

  @Override
  public void value(CodedInputStream in) throws IOException {
    if (count == 0 || field.isRepeated()) {
      count++;
    }
    FieldValue.skip(field, in);
  }

  @Override
  public void packed(byte[] packed) throws IOException {
    if (packed.length == 0) {
      return;
    }
    count +=
        switch (FieldTypes.wireType(field.type())) {
          case WireFormat.WIRETYPE_VARINT -> varints(packed);
          case WireFormat.WIRETYPE_FIXED32 -> fixed(packed, Integer.BYTES);
          case WireFormat.WIRETYPE_FIXED64 -> fixed(packed, Long.BYTES);
          default -> throw MessageScanner.dataLoss("TYPE_GROUP encountered as packed");
        };
    if (!field.isRepeated()) {
      count = 1;
    }
  }

  private static int varints(byte[] packed) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(packed);
    int varints = 0;
    for (; !in.isAtEnd(); varints++) {
      in.readRawVarint64();
    }
    return varints;
  }

  private static int fixed(byte[] packed, int size) {
    if (packed.length % size != 0) {
      throw MessageScanner.dataLoss(
          "Illegal data length for packed fixed-size type: " + packed.length);
    }
    return packed.length / size;
  }
}
