package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.FingerprintCat;
import io.headrace.kernels.kit.SipHash;
import io.headrace.kernels.text.StringToHashBucketOps;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * SparseCross, SparseCrossV2 and SparseCrossHashed: for each row, the Cartesian product of the
 * features of all inputs, each combination joined as text or as a hash.
 */
final class SparseCrossOps {
  private static final String INPUTS =
      "(indices: N * int64, values: [sparse_types], shapes: N * int64, dense_inputs: [dense_types]";

  private static final String[] ATTRS = {
    "N: int", "sparse_types: list({int64, string})", "dense_types: list({int64, string})"
  };

  private SparseCrossOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseCross"
                    + INPUTS
                    + ") -> (output_indices: int64, output_values: out_type, output_shape: int64)")
            .attrs(ATTRS)
            .attrs(
                "hashed_output: bool",
                "num_buckets: int",
                "hash_key: int",
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
              return call -> {
                FeatureCross cross = new Inputs(call, sparse, dense(attrs)).cross();
                set(
                    call,
                    cross,
                    hashed
                        ? cross.hashes(key, buckets, call.cancellation())
                        : cross.texts(ByteStrings.bytes("_X_"), call.cancellation()));
              };
            }),
        Op.define(
                "SparseCrossV2"
                    + INPUTS
                    + ", sep: string) -> (output_indices: int64, output_values: string,"
                    + " output_shape: int64)")
            .attrs(ATTRS)
            .shape(SparseCrossOps::rule)
            .kernel(node -> {
              int sparse = node.attrs().types("sparse_types").size();
              int dense = dense(node.attrs());
              return call -> crossV2(call, sparse, dense);
            }),
        Op.define(
                "SparseCrossHashed"
                    + INPUTS
                    + ", num_buckets: int64, strong_hash: bool, salt: int64) ->"
                    + " (output_indices: int64, output_values: int64, output_shape: int64)")
            .attrs(ATTRS)
            .shape(SparseCrossOps::rule)
            .kernel(node -> {
              int sparse = node.attrs().types("sparse_types").size();
              int dense = dense(node.attrs());
              return call -> crossHashed(call, sparse, dense);
            }));
  }

  private static int dense(Attrs attrs) {
    return attrs.types("dense_types").size();
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

  private static void crossV2(KernelCall call, int sparse, int dense) {
    Inputs inputs = new Inputs(call, sparse, dense);
    Tensor separator = call.input(3 * sparse + dense);
    if (separator.shape().rank() != 0) {
      throw invalidArgument("Input separator should be a scalar. Received: %s", separator.shape());
    }
    FeatureCross cross = inputs.cross();
    set(call, cross, cross.texts(separator.string(0), call.cancellation()));
  }

  private static void crossHashed(KernelCall call, int sparse, int dense) {
    Inputs inputs = new Inputs(call, sparse, dense);
    int first = 3 * sparse + dense;
    Tensor salt = call.input(first + 2);
    if (call.input(first).elements() != 1 || call.input(first + 1).elements() != 1) {
      throw invalidArgument("num_buckets and strong_hash must be scalars");
    }
    if (salt.elements() != 2) {
      throw invalidArgument("Input \"salt\" must have length 2 but has length %d", salt.elements());
    }
    FeatureCross cross = inputs.cross();
    long buckets = call.input(first).integer(0);
    SaltedHash hash =
        new SaltedHash(call.input(first + 1).bool(0), salt.integer(0), salt.integer(1));
    int total = cross.total();
    long[] values = (long[]) TensorLimit.allocate(DataType.INT64, Shape.of(total));
    cross.forEach(
        (index, at) -> values[index] = FeatureCross.bucket(hash.of(cross, at), buckets),
        call.cancellation());
    set(call, cross, Tensor.wrap(DataType.INT64, Shape.of(total), values));
  }

  /** Sets the outputs: the crosses, with row and number within the row as their indices. */
  private static void set(KernelCall call, FeatureCross cross, Tensor values) {
    Shape shape = Shape.of(values.elements(), 2);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    long most = 0;
    int at = 0;
    for (int row = 0; row < cross.rows(); row++) {
      long count = cross.count(row);
      most = Math.max(most, count);
      for (long i = 0; i < count; i++) {
        indices[at++] = row;
        indices[at++] = i;
      }
    }
    call.setOutput(0, Tensor.wrap(DataType.INT64, shape, indices));
    call.setOutput(1, values);
    call.setOutput(2, Tensor.vector(cross.rows(), most));
  }

  /** The hash of SparseCrossHashed: SipHash with the salt as its key, or FarmHash. */
  private static final class SaltedHash {
    private final boolean strong;
    private final SipHash keyed;

    SaltedHash(boolean strong, long first, long second) {
      this.strong = strong;
      this.keyed = new SipHash(first, second);
    }

    long of(FeatureCross cross, int[] at) {
      long hash = 0;
      for (int i = 0; i < at.length; i++) {
        long own = value(cross.columns().get(i), at[i]);
        hash = i == 0 ? own : FingerprintCat.of(hash, own);
      }
      return hash;
    }

    private long value(FeatureCross.Column column, int at) {
      if (column.values().dtype() == DataType.STRING) {
        return bytes(column.values().string(at));
      }
      long value = column.values().integer(at);
      if (!strong && column instanceof FeatureCross.DenseColumn) {
        return value;
      }
      // TensorFlow hashes as many bytes of the integer as its number of the dtype has.
      return bytes(
          ByteBuffer.allocate(Integer.BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putInt((int) value)
              .array());
    }

    private long bytes(byte[] bytes) {
      return strong ? keyed.hash(bytes) : StringToHashBucketOps.fingerprint(bytes);
    }
  }

  /** The inputs that the three ops share. */
  private static final class Inputs {
    private final KernelCall call;
    private final int sparse;
    private final int dense;
    private final int rows;

    Inputs(KernelCall call, int sparse, int dense) {
      this.call = call;
      this.sparse = sparse;
      this.dense = dense;
      checkSparse();
      checkDense();
      this.rows = rows();
      checkRows();
    }

    private void checkSparse() {
      for (int i = 0; i < sparse; i++) {
        Shape indices = call.input(i).shape();
        if (indices.rank() != 2) {
          throw invalidArgument(
              "Input indices should be a matrix but received shape %s at position %d", indices, i);
        }
        if (indices.size(1) != 2) {
          throw invalidArgument(
              "Expected D2 of index to be 2 got %d at position %d", indices.size(1), i);
        }
      }
      for (int i = 0; i < sparse; i++) {
        Shape values = call.input(sparse + i).shape();
        if (values.rank() != 1) {
          throw invalidArgument(
              "Input values should be a vector but received shape %s at position %d", values, i);
        }
        if (call.input(i).shape().size(0) != values.size(0)) {
          throw invalidArgument(
              "Expected size of values to be %d got %d at position %d",
              call.input(i).shape().size(0), values.size(0), i);
        }
      }
      for (int i = 0; i < sparse; i++) {
        Shape shape = call.input(2 * sparse + i).shape();
        if (shape.rank() != 1) {
          throw invalidArgument(
              "Input shapes should be a vector but received shape %s at position %d", shape, i);
        }
        if (shape.size(0) != 2) {
          throw invalidArgument(
              "shape should imply a 2D tensor, but got %s at position %d", shape, i);
        }
      }
    }

    private void checkDense() {
      for (int i = 0; i < dense; i++) {
        Shape shape = call.input(3 * sparse + i).shape();
        if (shape.rank() != 2) {
          throw invalidArgument(
              "Dense inputs should be a matrix but received shape %s at position %d", shape, i);
        }
      }
    }

    private int rows() {
      if (sparse > 0) {
        long count = call.input(2 * sparse).integer(0);
        if (count < 0) {
          throw invalidArgument("the number of rows must be at least 0, and is %d", count);
        }
        // Each row takes a counter, so their number is bounded like a tensor.
        TensorLimit.check(DataType.INT32, Shape.of(count));
        return (int) count;
      }
      return dense > 0 ? (int) call.input(0).shape().size(0) : 0;
    }

    private void checkRows() {
      for (int i = 0; i < sparse; i++) {
        long count = call.input(2 * sparse + i).integer(0);
        if (count != rows) {
          throw invalidArgument("Expected batch size %d got %d at position %d", rows, count, i);
        }
      }
      for (int i = 0; i < dense; i++) {
        long count = call.input(3 * sparse + i).shape().size(0);
        if (count != rows) {
          throw invalidArgument("Expected batch size %d got %d at dense tensor %d", rows, count, i);
        }
      }
    }

    FeatureCross cross() {
      List<FeatureCross.Column> columns = new ArrayList<>();
      for (int i = 0; i < sparse; i++) {
        columns.add(FeatureCross.sparseColumn(call.input(i), call.input(sparse + i), rows, i));
      }
      for (int i = 0; i < dense; i++) {
        Tensor values = call.input(3 * sparse + i);
        columns.add(new FeatureCross.DenseColumn(values, (int) values.shape().size(1)));
      }
      return new FeatureCross(columns, rows);
    }
  }
}
