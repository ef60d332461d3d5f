package io.headrace.kernels.example;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.ByteString;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** ParseSequenceExampleV2: context features and feature lists of tf.SequenceExamples. */
final class ParseSequenceExampleOps {
  private static final String TYPES = "list({float, int64, string}) = []";
  private static final int KEYS = 2;
  private static final int MISSING = 8;
  private static final int DEFAULTS = 9;

  private ParseSequenceExampleOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ParseSequenceExampleV2(serialized: string, debug_name: string,"
                    + " context_sparse_keys: string, context_dense_keys: string,"
                    + " context_ragged_keys: string, feature_list_sparse_keys: string,"
                    + " feature_list_dense_keys: string, feature_list_ragged_keys: string,"
                    + " feature_list_dense_missing_assumed_empty: bool,"
                    + " context_dense_defaults: [Tcontext_dense]) ->"
                    + " (context_sparse_indices: Ncontext_sparse * int64,"
                    + " context_sparse_values: [context_sparse_types],"
                    + " context_sparse_shapes: Ncontext_sparse * int64,"
                    + " context_dense_values: [Tcontext_dense],"
                    + " context_ragged_values: [context_ragged_value_types],"
                    + " context_ragged_row_splits: [context_ragged_split_types],"
                    + " feature_list_sparse_indices: Nfeature_list_sparse * int64,"
                    + " feature_list_sparse_values: [feature_list_sparse_types],"
                    + " feature_list_sparse_shapes: Nfeature_list_sparse * int64,"
                    + " feature_list_dense_values: [feature_list_dense_types],"
                    + " feature_list_dense_lengths: Nfeature_list_dense * int64,"
                    + " feature_list_ragged_values: [feature_list_ragged_value_types],"
                    + " feature_list_ragged_outer_splits: [feature_list_ragged_split_types],"
                    + " feature_list_ragged_inner_splits: [feature_list_ragged_split_types])")
            .attrs(
                "Ncontext_sparse: int = 0",
                "Tcontext_dense: " + TYPES,
                "context_sparse_types: " + TYPES,
                "context_ragged_value_types: " + TYPES,
                "context_ragged_split_types: list({int32, int64}) = []",
                "context_dense_shapes: list(shape) = []",
                "Nfeature_list_sparse: int = 0",
                "Nfeature_list_dense: int = 0",
                "feature_list_dense_types: " + TYPES,
                "feature_list_sparse_types: " + TYPES,
                "feature_list_ragged_value_types: " + TYPES,
                "feature_list_ragged_split_types: list({int32, int64}) = []",
                "feature_list_dense_shapes: list(shape) = []")
            .shape(ParseSequenceExampleOps::infer)
            .kernel(ParseSequenceExample::new));
  }

  static List<Shape> infer(ShapeFunction.Inputs in) {
    Attrs attrs = in.attrs();
    Shape serialized = in.shape(0);
    int rank = serialized.rank();
    long unknown = Shape.UNKNOWN_DIMENSION;
    Shape vector = Shape.of(unknown);
    List<Shape> result = new ArrayList<>();
    addSparse(result, attrs.types("context_sparse_types").size(), rank < 0 ? rank : rank + 1);
    for (Shape shape : attrs.shapes("context_dense_shapes")) {
      result.add(rank < 0 ? Shape.UNKNOWN : Shapes.concat(serialized, shape));
    }
    int ragged = attrs.types("context_ragged_value_types").size();
    Shape splits = rank == 1 && serialized.size(0) >= 0 ? Shape.of(serialized.size(0) + 1) : vector;
    result.addAll(Collections.nCopies(ragged, vector));
    result.addAll(Collections.nCopies(ragged, splits));
    addSparse(result, attrs.types("feature_list_sparse_types").size(), rank < 0 ? rank : rank + 2);
    List<Shape> dense = attrs.shapes("feature_list_dense_shapes");
    for (Shape shape : dense) {
      result.add(rank < 0 ? Shape.UNKNOWN : Shapes.concat(serialized, shape.prepend(unknown)));
    }
    result.addAll(Collections.nCopies(dense.size(), serialized));
    int lists = attrs.types("feature_list_ragged_value_types").size();
    result.addAll(Collections.nCopies(lists, vector));
    result.addAll(Collections.nCopies(lists, splits));
    result.addAll(Collections.nCopies(lists, vector));
    return result;
  }

  private static void addSparse(List<Shape> result, int count, int rank) {
    long unknown = Shape.UNKNOWN_DIMENSION;
    result.addAll(Collections.nCopies(count, Shape.of(unknown, rank)));
    result.addAll(Collections.nCopies(count, Shape.of(unknown)));
    result.addAll(Collections.nCopies(count, Shape.of(rank)));
  }

  private static final class ParseSequenceExample implements Kernel.Sync {
    private final List<DataType> contextDense;
    private final List<DataType> contextSparse;
    private final List<DataType> contextRagged;
    private final List<DataType> contextSplits;
    private final List<Shape> contextShapes;
    private final List<DataType> listDense;
    private final List<DataType> listSparse;
    private final List<DataType> listRagged;
    private final List<DataType> listSplits;
    private final List<Shape> listShapes;

    ParseSequenceExample(NodeSpec node) {
      Attrs attrs = node.attrs();
      this.contextDense = attrs.types("Tcontext_dense");
      this.contextSparse = attrs.types("context_sparse_types");
      this.contextRagged = attrs.types("context_ragged_value_types");
      this.contextSplits = attrs.types("context_ragged_split_types");
      this.contextShapes = attrs.shapes("context_dense_shapes");
      this.listDense = attrs.types("feature_list_dense_types");
      this.listSparse = attrs.types("feature_list_sparse_types");
      this.listRagged = attrs.types("feature_list_ragged_value_types");
      this.listSplits = attrs.types("feature_list_ragged_split_types");
      this.listShapes = attrs.shapes("feature_list_dense_shapes");
      checkCount("context_dense_shapes", contextShapes.size(), contextDense.size());
      checkCount("feature_list_dense_shapes", listShapes.size(), listDense.size());
      checkCount("context_ragged_split_types", contextSplits.size(), contextRagged.size());
      checkCount("feature_list_ragged_split_types", listSplits.size(), listRagged.size());
      checkCount("Ncontext_sparse", attrs.integer("Ncontext_sparse"), contextSparse.size());
      checkCount("Nfeature_list_sparse", attrs.integer("Nfeature_list_sparse"), listSparse.size());
      checkCount("Nfeature_list_dense", attrs.integer("Nfeature_list_dense"), listDense.size());
    }

    private static void checkCount(String name, long count, int expected) {
      if (count != expected) {
        throw invalidArgument("%s must be of %d features, and is of %d", name, expected, count);
      }
    }

    @Override
    public void compute(KernelCall call) {
      Tensor serialized = call.input(0);
      Tensor names = call.input(1);
      SequenceExampleParser.checkShapes(serialized, names);
      SequenceExampleParser parser =
          new SequenceExampleParser(contextFeatures(call), listFeatures(call));
      SequenceExampleParser.Parsed parsed =
          parser.parse(serialized, names.elements() > 0 ? names : null, call.cancellation());
      new SequenceExampleOutputs(call).set(parsed, true);
    }

    private List<SequenceExampleFeature> contextFeatures(KernelCall call) {
      Tensor sparse = keys(call, 0, contextSparse.size());
      Tensor dense = keys(call, 1, contextDense.size());
      Tensor ragged = keys(call, 2, contextRagged.size());
      List<SequenceExampleFeature> features = new ArrayList<>();
      for (int i = 0; i < contextSparse.size(); i++) {
        features.add(new SequenceExampleFeature.Sparse(key(sparse, i), contextSparse.get(i)));
      }
      for (int i = 0; i < contextDense.size(); i++) {
        features.add(
            SequenceExampleFeature.contextDense(
                key(dense, i),
                i,
                contextDense.get(i),
                contextShapes.get(i),
                call.input(DEFAULTS + i)));
      }
      for (int i = 0; i < contextRagged.size(); i++) {
        features.add(
            new SequenceExampleFeature.Ragged(
                key(ragged, i), contextRagged.get(i), contextSplits.get(i)));
      }
      return features;
    }

    private List<SequenceExampleFeature> listFeatures(KernelCall call) {
      Tensor sparse = keys(call, 3, listSparse.size());
      Tensor dense = keys(call, 4, listDense.size());
      Tensor ragged = keys(call, 5, listRagged.size());
      Tensor mayBeMissing = call.input(MISSING);
      if (mayBeMissing.elements() != listDense.size()) {
        throw invalidArgument(
            "Expected len(feature_list_dense_missing_assumed_empty) ="
                + " len(feature_list_dense_keys): %d vs. %d",
            mayBeMissing.elements(), listDense.size());
      }
      List<SequenceExampleFeature> features = new ArrayList<>();
      for (int i = 0; i < listSparse.size(); i++) {
        features.add(new SequenceExampleFeature.Sparse(key(sparse, i), listSparse.get(i)));
      }
      for (int i = 0; i < listDense.size(); i++) {
        features.add(
            SequenceExampleFeature.listDense(
                key(dense, i), listDense.get(i), listShapes.get(i), mayBeMissing.bool(i)));
      }
      for (int i = 0; i < listRagged.size(); i++) {
        features.add(
            new SequenceExampleFeature.Ragged(
                key(ragged, i), listRagged.get(i), listSplits.get(i)));
      }
      return features;
    }

    private static ByteString key(Tensor keys, int i) {
      return ByteString.copyFrom(keys.string(i));
    }

    private static Tensor keys(KernelCall call, int index, int expected) {
      Tensor keys = call.input(KEYS + index);
      if (keys.elements() != expected) {
        throw invalidArgument(
            "input %d names %d features, and %d dtypes are declared",
            KEYS + index, keys.elements(), expected);
      }
      return keys;
    }
  }
}
