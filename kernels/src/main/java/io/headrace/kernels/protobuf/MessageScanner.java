package io.headrace.kernels.protobuf;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Walks through a serialized message and hands its fields to sinks. DATA_LOSS if it is malformed.
 */
final class MessageScanner {
  private MessageScanner() {}

  static StatusException dataLoss(String message) {
    return new StatusException(StatusCode.DATA_LOSS, message);
  }

  /** Hands the fields of {@code message} to {@code sinks}, by number; others are skipped. */
  static void scan(byte[] message, Map<Integer, ? extends FieldSink> sinks) {
    CodedInputStream in = CodedInputStream.newInstance(message);
    for (int tag = tag(in); tag != 0; tag = tag(in)) {
      @Nullable FieldSink sink = sinks.get(WireFormat.getTagFieldNumber(tag));
      if (sink == null) {
        skip(in, tag, "Failed skipping unrequested field");
        continue;
      }
      int wireType = WireFormat.getTagWireType(tag);
      int expected = FieldTypes.wireType(sink.field().type());
      if (wireType == expected) {
        readValue(in, sink);
      } else if (wireType == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        readPacked(in, sink);
      } else {
        skip(in, tag, "CollectField: Failed skipping malformed field");
      }
    }
  }

  /** The next tag; 0 at the end. */
  private static int tag(CodedInputStream in) {
    try {
      int tag = in.readTag();
      if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_END_GROUP) {
        return tag;
      }
    } catch (IOException _) {
      // said below
    }
    throw dataLoss("CountFields: Failed to consume entire buffer");
  }

  private static void skip(CodedInputStream in, int tag, String failure) {
    try {
      if (in.skipField(tag)) {
        return;
      }
    } catch (IOException _) {
      // said below
    }
    throw dataLoss(failure);
  }

  private static void readValue(CodedInputStream in, FieldSink sink) {
    try {
      sink.value(in);
    } catch (IOException _) {
      throw dataLoss("ReadValue: Failed skipping field when counting");
    }
  }

  private static void readPacked(CodedInputStream in, FieldSink sink) {
    byte[] packed;
    try {
      packed = in.readByteArray();
    } catch (IOException _) {
      throw dataLoss("ReadPackedValues: Skipping packed field failed");
    }
    try {
      sink.packed(packed);
    } catch (IOException _) {
      throw dataLoss("Corrupt packed varint");
    }
  }
}
