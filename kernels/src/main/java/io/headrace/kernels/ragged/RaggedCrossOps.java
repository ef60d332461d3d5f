package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.sparse.FeatureCross;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;

/**
 * The RaggedCross op: for each row, the Cartesian product of the features of ragged, sparse and
 * dense inputs, each combination joined as text or as a hash.
 */
final class RaggedCrossOps {
  private RaggedCrossOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedCross(ragged_values: [ragged_values_types], ragged_row_splits:"
                    + " [ragged_splits_types], sparse_indices: Nsparse * int64, sparse_values:"
                    + " [sparse_values_types], sparse_shape: Nsparse * int64, dense_inputs:"
                    + " [dense_types]) -> (output_values: out_values_type, output_row_splits:"
                    + " out_row_splits_type)")
            .attrs(
                "Nsparse: int",
                "input_order: string",
                "hashed_output: bool",
                "num_buckets: int",
                "hash_key: int",
                "ragged_values_types: list({int64, string})",
                "ragged_splits_types: list({int32, int64})",
                "sparse_values_types: list({int64, string})",
                "dense_types: list({int64, string})",
                "out_values_type: {int64, string}",
                "out_row_splits_type: {int32, int64}")
            .shape(RaggedCrossOps::rule)
            .kernel(node -> new Cross(node)::compute));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Attrs attrs = in.attrs();
    int ragged = attrs.types("ragged_values_types").size();
    int sparse = attrs.types("sparse_values_types").size();
    int dense = attrs.types("dense_types").size();
    checkLengths(attrs);
    long rows = Shape.UNKNOWN_DIMENSION;
    for (int i = 0; i < ragged; i++) {
      Shapes.withRank(in.shape(i), 1);
      long points = Shapes.withRank(in.shape(ragged + i), 1).size(0);
      rows = Shapes.mergeSize(rows, points < 0 ? points : points - 1);
    }
    int first = 2 * ragged;
    for (int i = 0; i < sparse; i++) {
      long count = Shapes.withRank(in.shape(first + i), 2).size(0);
      Shapes.mergeSize(count, Shapes.withRank(in.shape(first + sparse + i), 1).size(0));
    }
    for (int i = 0; i < dense; i++) {
      rows = Shapes.mergeSize(rows, Shapes.withRank(in.shape(first + 3 * sparse + i), 2).size(0));
    }
    return List.of(Shapes.ofRank(1), Shape.of(rows < 0 ? rows : rows + 1));
  }

  private static void checkLengths(Attrs attrs) {
    int ragged = attrs.types("ragged_values_types").size();
    int sparse = attrs.types("sparse_values_types").size();
    if (ragged != attrs.types("ragged_splits_types").size()) {
      throw invalidArgument("ragged values and splits must have the same length");
    }
    if (sparse != attrs.count("Nsparse")) {
      throw invalidArgument("sparse indices and values must have the same length");
    }
    int inputs = ragged + sparse + attrs.types("dense_types").size();
    if (inputs != attrs.string("input_order").length()) {
      throw invalidArgument("Invalid length for input_order");
    }
  }

  private static final class Cross {
    private final int ragged;
    private final int sparse;
    private final int dense;
    private final String order;
    private final DataType splitsType;
    private final boolean hashed;
    private final long buckets;
    private final long hashKey;

    Cross(NodeSpec node) {
      Attrs attrs = node.attrs();
      checkLengths(attrs);
      this.ragged = attrs.types("ragged_values_types").size();
      this.sparse = attrs.types("sparse_values_types").size();
      this.dense = attrs.types("dense_types").size();
      this.order = attrs.string("input_order");
      this.splitsType = attrs.type("out_row_splits_type");
      this.hashed = attrs.type("out_values_type") == DataType.INT64;
      this.buckets = attrs.integer("num_buckets");
      this.hashKey = attrs.integer("hash_key");
    }

    void compute(KernelCall call) {
      checkRanks(call);
      int rows = rows(call);
      FeatureCross cross = new FeatureCross(columns(call, rows), rows);
      call.setOutput(
          0,
          hashed
              ? cross.hashes(hashKey, buckets, call.cancellation())
              : cross.texts(ByteStrings.bytes("_X_"), call.cancellation()));
      long[] splits = new long[rows + 1];
      for (int row = 0; row < rows; row++) {
        splits[row + 1] = splits[row] + cross.count(row);
      }
      call.setOutput(1, IntegerTensors.vector(splitsType, splits));
    }

    private void checkRanks(KernelCall call) {
      for (int i = 0; i < ragged; i++) {
        checkRank("ragged", call.input(i), 1);
        checkRank("ragged", call.input(ragged + i), 1);
        RowSplits.checkRows(call.input(ragged + i), call.input(i).elements());
      }
      for (int i = 0; i < sparse; i++) {
        Tensor indices = sparse(call, 0, i);
        Tensor values = sparse(call, 1, i);
        Tensor sizes = sparse(call, 2, i);
        checkRank("sparse", indices, 2);
        checkRank("sparse", values, 1);
        checkRank("sparse", sizes, 1);
        if (indices.shape().size(0) != values.elements()) {
          throw invalidArgument("sparse indices and values must have the same length");
        }
        if (sizes.elements() != 2 || indices.shape().size(1) != 2) {
          throw invalidArgument("tf.ragged.cross only supports inputs with rank=2.");
        }
      }
      for (int i = 0; i < dense; i++) {
        checkRank("dense", dense(call, i), 2);
      }
    }

    private static void checkRank(String kind, Tensor tensor, int rank) {
      if (tensor.shape().rank() != rank) {
        throw invalidArgument(
            "tf.ragged.cross only supports inputs with rank=2. A %s input is of shape %s.",
            kind, tensor.shape());
      }
    }

    private Tensor sparse(KernelCall call, int part, int i) {
      return call.input(2 * ragged + part * sparse + i);
    }

    private Tensor dense(KernelCall call, int i) {
      return call.input(2 * ragged + 3 * sparse + i);
    }

    private int rows(KernelCall call) {
      long[] counts = new long[ragged + sparse + dense];
      for (int i = 0; i < counts.length; i++) {
        counts[i] =
            i < ragged
                ? call.input(ragged + i).elements() - 1
                : i < ragged + sparse
                    ? sparse(call, 2, i - ragged).integer(0)
                    : dense(call, i - ragged - sparse).shape().size(0);
        if (counts[i] != counts[0]) {
          throw invalidArgument("inputs must all have the same batch dimension size.");
        }
      }
      if (counts.length == 0 || counts[0] < 0) {
        throw invalidArgument("tf.ragged.cross needs an input with a number of rows of at least 0");
      }
      // Each row takes a counter, so their number is bounded like a tensor.
      TensorLimit.check(DataType.INT64, Shape.of(counts[0]));
      return (int) counts[0];
    }

    private List<FeatureCross.Column> columns(KernelCall call, int rows) {
      List<FeatureCross.Column> columns = new ArrayList<>();
      int[] next = new int[3];
      for (int letter = 0; letter < order.length(); letter++) {
        char kind = order.charAt(letter);
        int which = "RSD".indexOf(kind);
        if (which < 0) {
          throw invalidArgument("Unexpected input_order value: '%s'", kind);
        }
        int i = next[which]++;
        if (i >= (which == 0 ? ragged : which == 1 ? sparse : dense)) {
          throw invalidArgument("Invalid length for input_order");
        }
        columns.add(
            switch (which) {
              case 0 ->
                  new FeatureCross.RaggedColumn(call.input(i), starts(call.input(ragged + i)));
              case 1 -> FeatureCross.sparseColumn(sparse(call, 0, i), sparse(call, 1, i), rows, i);
              default ->
                  new FeatureCross.DenseColumn(
                      dense(call, i), (int) dense(call, i).shape().size(1));
            });
      }
      return columns;
    }

    private static int[] starts(Tensor splits) {
      int[] starts = new int[splits.elements()];
      for (int i = 0; i < starts.length; i++) {
        starts[i] = (int) splits.integer(i);
      }
      return starts;
    }
  }
}
