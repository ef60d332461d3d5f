package io.headrace.dataset.execute.reader;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;

/**
 * The progress of a reader between two files, serialized as TensorFlow's message ReaderBaseState.
 *
 * @param completed the number of files read to their end; none is partly read
 * @param produced the number of records read
 * @param work the name of the last file
 */
record ReaderState(long completed, long produced, ByteString work) {
  private static final int STARTED = 1;
  private static final int FINISHED = 2;
  private static final int PRODUCED = 3;
  private static final int WORK = 4;

  /** The serialized message; zero and empty fields are omitted. */
  byte[] encoded() {
    UnknownFieldSet.Builder message = UnknownFieldSet.newBuilder();
    if (completed != 0) {
      message.addField(STARTED, Field.newBuilder().addVarint(completed).build());
      message.addField(FINISHED, Field.newBuilder().addVarint(completed).build());
    }
    if (produced != 0) {
      message.addField(PRODUCED, Field.newBuilder().addVarint(produced).build());
    }
    if (!work.isEmpty()) {
      message.addField(WORK, Field.newBuilder().addLengthDelimited(work).build());
    }
    return message.build().toByteArray();
  }

  /**
   * Parses {@code message}; INVALID_ARGUMENT if it is malformed, or of a reader in the middle of a
   * file.
   */
  static ReaderState decode(byte[] message) {
    UnknownFieldSet fields;
    try {
      fields = UnknownFieldSet.parseFrom(message);
    } catch (InvalidProtocolBufferException e) {
      throw invalidArgument(
          "Could not parse state of a reader: %s", String.valueOf(e.getMessage()));
    }
    long started = number(fields, STARTED);
    long finished = number(fields, FINISHED);
    long produced = number(fields, PRODUCED);
    if (started < 0 || finished < 0 || produced < 0) {
      throw invalidArgument(
          "Unexpected negative value when restoring a reader: %d files begun, %d read, %d records",
          started, finished, produced);
    }
    if (started > finished) {
      throw invalidArgument(
          "Inconsistent work started vs. finished when restoring a reader: %d vs. %d",
          started, finished);
    }
    var work = fields.getField(WORK).getLengthDelimitedList();
    return new ReaderState(finished, produced, work.isEmpty() ? ByteString.EMPTY : work.getLast());
  }

  private static long number(UnknownFieldSet fields, int field) {
    var values = fields.getField(field).getVarintList();
    return values.isEmpty() ? 0 : values.getLast();
  }
}
