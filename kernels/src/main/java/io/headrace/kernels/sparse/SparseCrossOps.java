package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Strings;
import io.headrace.kernels.text.StringToHashBucketOps;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The SparseCross op: for each row, the Cartesian product of the features of all inputs, each
 * combination joined as text or as a hash.
 */
final class SparseCrossOps {
  private static final byte[] SEPARATOR = Strings.bytes("_X_");

  /** Constants of FingerprintCat64, which combines two hashes (tsl/platform/fingerprint.h). */
  private static final long MULTIPLIER = 0xc6a4a7935bd1e995L;

  private static final int SHIFT = 47;

  private SparseCrossOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseCross(indices: N * int64, values: [sparse_types], shapes: N * int64,"
                    + " dense_inputs: [dense_types]) -> (output_indices: int64,"
                    + " output_values: out_type, output_shape: int64)")
            .attrs(
                "N: int",
                "hashed_output: bool",
                "num_buckets: int",
                "hash_key: int",
                "sparse_types: list({int64, string})",
                "dense_types: list({int64, string})",
                "out_type: {int64, string}",
                "internal_type: {int64, string}")
            .shape(SparseCrossOps::rule)
            .kernel(node -> {
              Attrs attrs = node.attrs();
              int sparse = attrs.types("sparse_types").size();
              boolean hashed = attrs.type("out_type") == DataType.INT64;
              checkTypes(attrs, hashed);
              long buckets = attrs.integer("num_buckets");
              long key = attrs.integer("hash_key");
              return call -> new Cross(call, sparse, hashed, buckets, key).run();
            }));
  }

  /** INVALID_ARGUMENT if integers would be joined as text and internal_type is string. */
  private static void checkTypes(Attrs attrs, boolean hashed) {
    List<DataType> types = new ArrayList<>(attrs.types("sparse_types"));
    types.addAll(attrs.types("dense_types"));
    boolean strings = attrs.type("internal_type") == DataType.STRING;
    if (!hashed && strings && types.contains(DataType.INT64)) {
      throw invalidArgument(
          "Input values should be of internal type %d but received %d",
          DataType.STRING.number(), DataType.INT64.number());
    }
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    long unknown = Shape.UNKNOWN_DIMENSION;
    return List.of(Shape.of(unknown, 2), Shape.of(unknown), Shape.of(2));
  }

  /** The features of one input. */
  private interface Column {
    /** The values, row by row. */
    Tensor values();

    /** The index of the first value of {@code row}, which is the end of the row before it. */
    int start(int row);
  }

  private static final class SparseColumn implements Column {
    private final Tensor values;
    private final int[] starts;

    SparseColumn(Tensor values, int[] starts) {
      this.values = values;
      this.starts = starts;
    }

    @Override
    public Tensor values() {
      return values;
    }

    @Override
    public int start(int row) {
      return starts[row];
    }
  }

  private record DenseColumn(Tensor values, int width) implements Column {
    @Override
    public int start(int row) {
      return row * width;
    }
  }

  private static final class Cross {
    private final KernelCall call;
    private final boolean hashed;
    private final long buckets;
    private final long hashKey;
    private final int rows;
    private final List<Column> columns = new ArrayList<>();

    Cross(KernelCall call, int sparse, boolean hashed, long buckets, long hashKey) {
      this.call = call;
      this.hashed = hashed;
      this.buckets = buckets;
      this.hashKey = hashKey;
      int dense = call.inputs() - 3 * sparse;
      this.rows = rows(sparse, dense);
      for (int i = 0; i < sparse; i++) {
        columns.add(sparse(i, sparse));
      }
      for (int i = 0; i < dense; i++) {
        columns.add(dense(call.input(3 * sparse + i), i));
      }
    }

    private int rows(int sparse, int dense) {
      if (sparse > 0) {
        Tensor shape = call.input(2 * sparse);
        if (shape.shape().rank() != 1 || shape.elements() != 2) {
          throw invalidArgument("shape should imply a 2D tensor, but got %s", shape.shape());
        }
        return Math.toIntExact(shape.integer(0));
      }
      if (dense == 0 || call.input(0).shape().rank() != 2) {
        throw invalidArgument("there must be an input, and each must be of rank 2");
      }
      return (int) call.input(0).shape().size(0);
    }

    private Column sparse(int i, int count) {
      Tensor indices = call.input(i);
      Tensor values = call.input(count + i);
      Tensor shape = call.input(2 * count + i);
      checkSparse(indices, values, shape, i);
      int[] starts = new int[rows + 1];
      long before = 0;
      for (int j = 0; j < values.elements(); j++) {
        long row = indices.integer(2 * j);
        if (row < before || row >= rows) {
          throw invalidArgument(
              "index %d of sparse input %d is of row %d, and must be of one from %d to %d",
              j, i, row, before, rows - 1);
        }
        before = row;
        starts[(int) row + 1]++;
      }
      for (int row = 0; row < rows; row++) {
        starts[row + 1] += starts[row];
      }
      return new SparseColumn(values, starts);
    }

    private void checkSparse(Tensor indices, Tensor values, Tensor shape, int i) {
      if (indices.shape().rank() != 2 || indices.shape().size(1) != 2) {
        throw invalidArgument(
            "Input indices should be a matrix of width 2 but received shape %s at position %d",
            indices.shape(), i);
      }
      if (values.shape().rank() != 1) {
        throw invalidArgument(
            "Input values should be a vector but received shape %s at position %d",
            values.shape(), i);
      }
      if (indices.shape().size(0) != values.elements()) {
        throw invalidArgument(
            "Expected size of values to be %d got %d at position %d",
            indices.shape().size(0), values.elements(), i);
      }
      if (shape.shape().rank() != 1 || shape.elements() != 2) {
        throw invalidArgument(
            "Input shapes should be a vector of 2 sizes but received shape %s at position %d",
            shape.shape(), i);
      }
      if (shape.integer(0) != rows) {
        throw invalidArgument(
            "Expected batch size %d got %d at position %d", rows, shape.integer(0), i);
      }
    }

    private Column dense(Tensor values, int i) {
      if (values.shape().rank() != 2) {
        throw invalidArgument(
            "Dense inputs should be a matrix but received shape %s at position %d",
            values.shape(), i);
      }
      if (values.shape().size(0) != rows) {
        throw invalidArgument(
            "Expected batch size %d got %d at dense tensor %d", rows, values.shape().size(0), i);
      }
      return new DenseColumn(values, (int) values.shape().size(1));
    }

    void run() {
      long total = 0;
      long most = 0;
      for (int row = 0; row < rows; row++) {
        long count = count(row);
        total = Math.addExact(total, count);
        most = Math.max(most, count);
      }
      DataType dtype = hashed ? DataType.INT64 : DataType.STRING;
      Shape indexShape = Shape.of(total, 2);
      long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, indexShape);
      Object values = TensorLimit.allocate(dtype, Shape.of(total));
      int at = 0;
      for (int row = 0; row < rows; row++) {
        call.cancellation().check();
        long count = count(row);
        int[] picked = new int[columns.size()];
        for (long i = 0; i < count; i++) {
          indices[2 * at] = row;
          indices[2 * at + 1] = i;
          if (hashed) {
            ((long[]) values)[at++] = hash(row, picked);
          } else {
            ((byte[][]) values)[at++] = text(row, picked);
          }
          advance(row, picked);
        }
      }
      call.setOutput(0, Tensor.of(DataType.INT64, indexShape, indices));
      call.setOutput(1, Tensor.of(dtype, Shape.of(total), values));
      call.setOutput(2, Tensor.vector(rows, most));
    }

    private static int size(Column column, int row) {
      return column.start(row + 1) - column.start(row);
    }

    private long count(int row) {
      long count = 1;
      for (Column column : columns) {
        count = Math.multiplyExact(count, (long) size(column, row));
      }
      return count;
    }

    /** Advances to the next combination of features; the last column varies fastest. */
    private void advance(int row, int[] picked) {
      for (int i = picked.length - 1; i >= 0; i--) {
        if (++picked[i] < size(columns.get(i), row)) {
          return;
        }
        picked[i] = 0;
      }
    }

    private byte[] text(int row, int[] picked) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      for (int i = 0; i < picked.length; i++) {
        if (i > 0) {
          text.writeBytes(SEPARATOR);
        }
        Tensor values = columns.get(i).values();
        int at = columns.get(i).start(row) + picked[i];
        text.writeBytes(
            values.dtype() == DataType.STRING
                ? values.string(at)
                : Strings.bytes(Long.toString(values.integer(at))));
      }
      return text.toByteArray();
    }

    private long hash(int row, int[] picked) {
      long hash = hashKey;
      for (int i = 0; i < picked.length; i++) {
        Tensor values = columns.get(i).values();
        int at = columns.get(i).start(row) + picked[i];
        long own =
            values.dtype() == DataType.STRING
                ? StringToHashBucketOps.fingerprint(values.string(at))
                : values.integer(at);
        hash = fingerprintCat(hash, own);
      }
      return Long.remainderUnsigned(hash, buckets > 0 ? buckets : Long.MAX_VALUE);
    }

    private static long fingerprintCat(long first, long second) {
      long result = first ^ MULTIPLIER;
      result ^= shiftMix(second * MULTIPLIER) * MULTIPLIER;
      result *= MULTIPLIER;
      result = shiftMix(result) * MULTIPLIER;
      return shiftMix(result);
    }

    private static long shiftMix(long value) {
      return value ^ (value >>> SHIFT);
    }
  }
}
