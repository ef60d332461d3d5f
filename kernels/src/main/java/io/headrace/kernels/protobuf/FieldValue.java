package io.headrace.kernels.protobuf;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.headrace.runtime.tensor.DataType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Reads values of fields. */
final class FieldValue {
  private static final long UNSIGNED_INT = 0xFFFF_FFFFL;

  /** As deep as protobuf reads groups. */
  private static final int MAX_DEPTH = 100;

  private FieldValue() {}

  /** Reads a value, and forgets it. */
  static void skip(ProtoField field, CodedInputStream in) throws IOException {
    switch (field.type()) {
      case STRING, BYTES, MESSAGE -> in.skipRawBytes(in.readRawVarint32());
      default -> read(field, in);
    }
  }

  /** Reads a value: a Number, a Boolean or a {@code byte[]}. */
  static Object read(ProtoField field, CodedInputStream in) throws IOException {
    return switch (field.type()) {
      case DOUBLE -> in.readDouble();
      case FLOAT -> in.readFloat();
      case INT64, UINT64 -> in.readRawVarint64();
      case INT32, ENUM -> in.readRawVarint32();
      case UINT32 -> in.readRawVarint32() & UNSIGNED_INT;
      case SINT32 -> in.readSInt32();
      case SINT64 -> in.readSInt64();
      case FIXED32 -> in.readFixed32() & UNSIGNED_INT;
      case SFIXED32 -> in.readSFixed32();
      case FIXED64, SFIXED64 -> in.readFixed64();
      case BOOL -> in.readRawVarint64() != 0;
      case STRING, BYTES, MESSAGE -> in.readByteArray();
      case GROUP -> readGroup(field.number(), in);
    };
  }

  /** Reads a value of several that stand together. Of int32, only the bits are kept. */
  static Object readPacked(ProtoField field, CodedInputStream in) throws IOException {
    boolean isWidened =
        field.type() == FieldDescriptor.Type.INT32 && field.dtype() == DataType.INT64;
    return isWidened ? (Object) (in.readRawVarint32() & UNSIGNED_INT) : read(field, in);
  }

  /** The bytes of a group, with the tags around it. */
  private static byte[] readGroup(int number, CodedInputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    copyGroup(number, in, out, 1);
    out.flush();
    return bytes.toByteArray();
  }

  private static void copyGroup(int number, CodedInputStream in, CodedOutputStream out, int depth)
      throws IOException {
    if (depth > MAX_DEPTH) {
      throw new InvalidProtocolBufferException("groups are nested too deeply");
    }
    out.writeTag(number, WireFormat.WIRETYPE_START_GROUP);
    while (true) {
      int tag = in.readTag();
      int inner = WireFormat.getTagFieldNumber(tag);
      int wireType = WireFormat.getTagWireType(tag);
      if (wireType == WireFormat.WIRETYPE_START_GROUP) {
        copyGroup(inner, in, out, depth + 1);
        continue;
      }
      out.writeUInt32NoTag(tag);
      switch (wireType) {
        case WireFormat.WIRETYPE_VARINT -> out.writeUInt64NoTag(in.readRawVarint64());
        case WireFormat.WIRETYPE_FIXED32 -> out.writeFixed32NoTag(in.readRawLittleEndian32());
        case WireFormat.WIRETYPE_FIXED64 -> out.writeFixed64NoTag(in.readRawLittleEndian64());
        case WireFormat.WIRETYPE_LENGTH_DELIMITED -> out.writeByteArrayNoTag(in.readByteArray());
        case WireFormat.WIRETYPE_END_GROUP -> {
          if (inner != number) {
            throw new InvalidProtocolBufferException("a group ends as another one");
          }
          return;
        }
        default -> throw new InvalidProtocolBufferException("tag 0 in a group");
      }
    }
  }
}
