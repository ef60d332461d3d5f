package io.headrace.kernels.table;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.text.StringToNumberOps;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Fills a table from a text file, one key and value per line (InitializeTableFromTextFile). Key and
 * value are each a column, the whole line, or the line number from 0. Errors name the file and the
 * line.
 */
final class TextFileTable {
  private static final int LINE_NUMBER = -1;
  private static final int WHOLE_LINE = -2;
  private static final int STRIDE = 1 << 16;

  private final String file;
  private final long keyIndex;
  private final long valueIndex;
  private final long vocabularySize;
  private final long offset;
  private final byte delimiter;
  private final TableInitializer table;

  private TextFileTable(String file, Attrs attrs, TableInitializer table) {
    this.file = file;
    this.keyIndex = attrs.integer("key_index");
    this.valueIndex = attrs.integer("value_index");
    this.vocabularySize = attrs.integer("vocab_size");
    this.offset = attrs.integer("offset");
    this.delimiter = (byte) attrs.string("delimiter").charAt(0);
    this.table = table;
  }

  static Kernel.Sync kernel(NodeSpec node) {
    Attrs attrs = node.attrs();
    if (attrs.string("delimiter").length() != 1) {
      throw invalidArgument(
          "delimiter should be only 1 char, and is '%s'", attrs.string("delimiter"));
    }
    return call -> {
      Tensor file = call.input(1);
      if (file.elements() != 1 || file.shape().rank() != 0) {
        throw invalidArgument("filename should be a single string, but got %s", file.shape());
      }
      TableInitializer table = TableInitializer.of(call.input(0));
      String name = ByteStrings.text(file.string(0));
      if (name.isEmpty()) {
        throw invalidArgument("filename cannot be empty.");
      }
      // Nodes that share a table by name fill it from the same file.
      if (!table.isInitialized()) {
        new TextFileTable(name, attrs, table).fill(call.cancellation());
      }
    };
  }

  private void fill(Cancellation stop) {
    checkIndex("Key", keyIndex, table.keyType());
    checkIndex("Value", valueIndex, table.valueType());
    List<byte[]> lines = lines();
    int count = lines.size();
    Object keys = table.keyType().kind().newArray(count);
    Object values = table.valueType().kind().newArray(count);
    for (int i = 0; i < count; i++) {
      if (i % STRIDE == 0) {
        stop.check();
      }
      set(keyIndex, table.keyType(), keys, lines.get(i), i);
      set(valueIndex, table.valueType(), values, lines.get(i), i);
    }
    Shape shape = Shape.of(count);
    try {
      table.load(
          Tensor.wrap(table.keyType(), shape, keys), Tensor.wrap(table.valueType(), shape, values));
    } catch (StatusException e) {
      throw e.in(file);
    }
  }

  private static void checkIndex(String what, long index, DataType dtype) {
    if (index == LINE_NUMBER && dtype != DataType.INT64) {
      throw invalidArgument(
          "%s index for line number requires table %s dtype of int64, got %s",
          what, what.toLowerCase(Locale.ROOT), dtype.tfName());
    }
    if (index == WHOLE_LINE && !dtype.isInteger() && dtype != DataType.STRING) {
      throw invalidArgument(
          "%s index for whole line requires table %s dtype of integer or string, got %s",
          what, what.toLowerCase(Locale.ROOT), dtype.tfName());
    }
  }

  /** The lines of the file, up to the vocabulary size. */
  private List<byte[]> lines() {
    byte[] content = DataFiles.read(file);
    List<byte[]> lines = new ArrayList<>();
    int at = 0;
    while (at < content.length && (vocabularySize < 0 || lines.size() < vocabularySize)) {
      int end = at;
      while (end < content.length && content[end] != '\n') {
        end++;
      }
      int to = end > at && end < content.length && content[end - 1] == '\r' ? end - 1 : end;
      if (to == at) {
        throw invalidArgument("Invalid content in %s: line %d is empty", file, lines.size());
      }
      lines.add(Arrays.copyOfRange(content, at, to));
      at = end + 1;
    }
    if (lines.isEmpty() || (vocabularySize >= 0 && lines.size() < vocabularySize)) {
      throw invalidArgument(
          "Invalid vocab_size in %s: expected %s but got %d",
          file, vocabularySize < 0 ? "at least one line" : vocabularySize, lines.size());
    }
    return lines;
  }

  private void set(long index, DataType dtype, Object array, byte[] line, int number) {
    if (index == LINE_NUMBER) {
      ((long[]) array)[number] = number + offset;
      return;
    }
    byte[] token = index == WHOLE_LINE ? line : column(line, index, number);
    if (array instanceof byte[][] strings) {
      strings[number] = token;
    } else if (!isReadable(dtype) || !StringToNumberOps.parse(token, dtype, array, number)) {
      throw invalidArgument(
          "Field %s in line %d of %s is not a valid %s.",
          ByteStrings.text(token), number, file, dtype.tfName());
    }
    if (array instanceof int[] ints) {
      ints[number] += (int) offset; // as TensorFlow does, for int32 alone
    }
  }

  private static boolean isReadable(DataType dtype) {
    return switch (dtype) {
      case INT32, INT64, FLOAT32, FLOAT64 -> true;
      default -> false;
    };
  }

  private byte[] column(byte[] line, long index, int number) {
    int columns = 0;
    int from = 0;
    for (int i = 0; i <= line.length; i++) {
      if (i == line.length || line[i] == delimiter) {
        if (columns == index) {
          return Arrays.copyOfRange(line, from, i);
        }
        columns++;
        from = i + 1;
      }
    }
    throw invalidArgument(
        "Invalid number of columns in %s line %d (%s) : expected at least %d got %d",
        file, number, ByteStrings.text(line), Math.max(keyIndex, valueIndex) + 1, columns);
  }
}
