package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.FingerprintCat;
import io.headrace.kernels.text.StringToHashBucketOps;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.List;

/**
 * The crosses of features: for each row, every combination of one value of each column, the last
 * column varying fastest. Immutable.
 *
 * @param columns the columns
 * @param rows the number of rows of each
 */
public record FeatureCross(List<Column> columns, int rows) {
  /** The values of one input. */
  public interface Column {
    /** The values, row by row: int64 or string. */
    Tensor values();

    /** The index of the first value of {@code row}, which is the end of the row before it. */
    int start(int row);
  }

  /** A column with any number of values in each row. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record RaggedColumn(Tensor values, int[] starts) implements Column {
    @Override
    public int start(int row) {
      return starts[row];
    }
  }

  /** A column with {@code width} values in each row. */
  public record DenseColumn(Tensor values, int width) implements Column {
    @Override
    public int start(int row) {
      return row * width;
    }
  }

  /** Writes one cross. */
  @FunctionalInterface
  public interface Writer {
    /** Writes the combination of the values at the positions {@code at}, one of each column. */
    void write(int index, int[] at);
  }

  /** The column of the values of a sparse matrix, whose indices are in row-major order. */
  public static RaggedColumn sparseColumn(Tensor indices, Tensor values, int rows, int input) {
    int[] starts = new int[rows + 1];
    long before = 0;
    for (int j = 0; j < values.elements(); j++) {
      long row = indices.integer(2 * j);
      if (row < before || row >= rows) {
        throw invalidArgument(
            "index %d of sparse input %d is of row %d, and must be of one from %d to %d",
            j, input, row, before, rows - 1);
      }
      before = row;
      starts[(int) row + 1]++;
    }
    for (int row = 0; row < rows; row++) {
      starts[row + 1] += starts[row];
    }
    return new RaggedColumn(values, starts);
  }

  /** The number of crosses of {@code row}; INVALID_ARGUMENT if it passes a long. */
  public long count(int row) {
    long count = 1;
    for (Column column : columns) {
      int size = column.start(row + 1) - column.start(row);
      if (size == 0) {
        return 0;
      }
      if (Math.multiplyHigh(count, size) != 0 || count * size < 0) {
        throw invalidArgument("row %d has more than 2^63 - 1 crosses", row);
      }
      count *= size;
    }
    return count;
  }

  /** The number of crosses of all rows, bounded by the size of a tensor. */
  public int total() {
    long total = 0;
    for (int row = 0; row < rows; row++) {
      total = Shape.of(total).elements() + (long) Shape.of(count(row)).elements();
    }
    return Shape.of(total).elements();
  }

  /** Writes all crosses in order. */
  public void forEach(Writer writer, Cancellation stop) {
    int index = 0;
    int[] at = new int[columns.size()];
    for (int row = 0; row < rows; row++) {
      stop.check();
      long count = count(row);
      for (int i = 0; i < at.length; i++) {
        at[i] = columns.get(i).start(row);
      }
      for (long i = 0; i < count; i++) {
        writer.write(index++, at);
        advance(row, at);
      }
    }
  }

  private void advance(int row, int[] at) {
    for (int i = at.length - 1; i >= 0; i--) {
      if (++at[i] < columns.get(i).start(row + 1)) {
        return;
      }
      at[i] = columns.get(i).start(row);
    }
  }

  /** The crosses as text, the values joined by {@code separator}. */
  public Tensor texts(byte[] separator, Cancellation stop) {
    int total = total();
    byte[][] texts = (byte[][]) TensorLimit.allocate(DataType.STRING, Shape.of(total));
    forEach((index, at) -> texts[index] = text(at, separator), stop);
    return Tensor.wrap(DataType.STRING, Shape.of(total), texts);
  }

  private byte[] text(int[] at, byte[] separator) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int i = 0; i < at.length; i++) {
      if (i > 0) {
        text.writeBytes(separator);
      }
      Tensor values = columns.get(i).values();
      text.writeBytes(
          values.dtype() == DataType.STRING
              ? values.string(at[i])
              : ByteStrings.bytes(Long.toString(values.integer(at[i]))));
    }
    return text.toByteArray();
  }

  /** The crosses as hashes modulo {@code buckets}, or modulo 2^63 - 1 if that is not positive. */
  public Tensor hashes(long hashKey, long buckets, Cancellation stop) {
    int total = total();
    long[] hashes = (long[]) TensorLimit.allocate(DataType.INT64, Shape.of(total));
    forEach((index, at) -> hashes[index] = bucket(hash(hashKey, at), buckets), stop);
    return Tensor.wrap(DataType.INT64, Shape.of(total), hashes);
  }

  private long hash(long hashKey, int[] at) {
    long hash = hashKey;
    for (int i = 0; i < at.length; i++) {
      Tensor values = columns.get(i).values();
      long own =
          values.dtype() == DataType.STRING
              ? StringToHashBucketOps.fingerprint(values.string(at[i]))
              : values.integer(at[i]);
      hash = FingerprintCat.of(hash, own);
    }
    return hash;
  }

  static long bucket(long hash, long buckets) {
    return Long.remainderUnsigned(hash, buckets > 0 ? buckets : Long.MAX_VALUE);
  }
}
