package io.headrace.kernels.protobuf;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;

/**
 * Gathers the values of a field of one message in its row of the output. With stock TensorFlow, of
 * a field that does not repeat the last value counts, except where it stands packed. Used by one
 * thread.
 */
final class FieldCollector implements FieldSink {
  private final ProtoField field;
  private final FieldColumn column;
  private final int first;
  private int count;

  /** Writes from index {@code first} of {@code column} on. */
  FieldCollector(ProtoField field, FieldColumn column, int first) {
    this.field = field;
    this.column = column;
    this.first = first;
  }

  @Override
  public ProtoField field() {
    return field;
  }

  @Override
  public void value(CodedInputStream in) throws IOException {
    int index = field.isRepeated() ? count : 0;
    count = index + 1;
    column.put(first + index, FieldValue.read(field, in));
  }

  @Override
  public void packed(byte[] packed) throws IOException {
    if (count >= column.width()) {
      throw MessageScanner.dataLoss(
          "ReadPackedValues: Tried to write more entries than allowed.  Field tag: %d, Max entries"
                  .formatted(field.number())
              + " allowed: "
              + column.width());
    }
    CodedInputStream in = CodedInputStream.newInstance(packed);
    while (!in.isAtEnd()) {
      column.put(first + count, FieldValue.readPacked(field, in));
      count += field.isRepeated() ? 1 : 0;
    }
  }

  /** Fills the rest of the row with the field's default. */
  void finish() {
    Object missing = field.defaultValue();
    for (int index = count; index < column.width(); index++) {
      column.put(first + index, missing);
    }
  }
}
