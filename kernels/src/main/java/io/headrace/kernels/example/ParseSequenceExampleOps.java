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

  private static List<Shape> infer(ShapeFunction.Inputs in) {
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
      if (serialized.shape().rank() > 1) {
        throw invalidArgument(
            "Expected serialized to be a scalar or vector, got shape: %s", serialized.shape());
      }
      if (names.elements() > 0 && !names.shape().equals(serialized.shape())) {
        throw invalidArgument(
            "Expected names have the same shape as serialized: name.shape=%s,"
                + " serialized.shape=%s",
            names.shape(), serialized.shape());
      }
      SequenceExampleParser parser =
          new SequenceExampleParser(contextFeatures(call), listFeatures(call));
      SequenceExampleParser.Parsed parsed =
          parser.parse(serialized, names.elements() > 0 ? names : null, call.cancellation());
      new Outputs(call).set(parsed);
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
        features.add(contextDense(key(dense, i), i, call.input(DEFAULTS + i)));
      }
      for (int i = 0; i < contextRagged.size(); i++) {
        features.add(
            new SequenceExampleFeature.Ragged(
                key(ragged, i), contextRagged.get(i), contextSplits.get(i)));
      }
      return features;
    }

    private SequenceExampleFeature contextDense(ByteString name, int i, Tensor defaultValue) {
      DataType dtype = contextDense.get(i);
      Shape shape = contextShapes.get(i);
      if (!shape.isKnown()) {
        throw invalidArgument(
            "context_dense_shapes[%d] of %s must be known, and is %s",
            i, name.toStringUtf8(), shape);
      }
      if (defaultValue.dtype() != dtype) {
        throw invalidArgument(
            "context_dense_defaults[%d].dtype() == %s != context_dense_types[%d] == %s",
            i, defaultValue.dtype().tfName(), i, dtype.tfName());
      }
      if (defaultValue.elements() > 0 && !shape.equals(defaultValue.shape())) {
        throw invalidArgument(
            "Default value for context feature %s has an incorrect shape: saw %s but expected %s",
            name.toStringUtf8(), defaultValue.shape(), shape);
      }
      return new SequenceExampleFeature.Dense(name, dtype, shape, defaultValue, false);
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
        DataType dtype = listDense.get(i);
        Shape shape = listShapes.get(i);
        if (!shape.isKnown() || shape.elements() == 0) {
          throw invalidArgument(
              "Unexpected shape error in feature %s: %s must be known and not empty",
              key(dense, i).toStringUtf8(), shape);
        }
        Tensor none = Tensor.of(dtype, Shape.of(0), dtype.kind().newArray(0));
        features.add(
            new SequenceExampleFeature.Dense(
                key(dense, i), dtype, shape, none, mayBeMissing.bool(i)));
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

  /** Sets the outputs, in the order of the op's declaration. */
  private static final class Outputs {
    private final KernelCall call;
    private int next;

    Outputs(KernelCall call) {
      this.call = call;
    }

    private void add(Tensor value) {
      call.setOutput(next++, value);
    }

    void set(SequenceExampleParser.Parsed parsed) {
      List<SequenceExampleBuffer> context = parsed.context();
      addSparse(context, false);
      dense(context).forEach(b -> add(b.contextValues(shape(b))));
      ragged(context).forEach(b -> add(b.flatValues()));
      ragged(context).forEach(b -> add(b.contextSplits(splits(b))));
      List<SequenceExampleBuffer> lists = parsed.lists();
      addSparse(lists, true);
      dense(lists).forEach(b -> add(b.paddedValues(shape(b))));
      dense(lists).forEach(b -> add(b.lengths()));
      ragged(lists).forEach(b -> add(b.flatValues()));
      ragged(lists).forEach(b -> add(b.outerSplits(splits(b))));
      ragged(lists).forEach(b -> add(b.innerSplits(splits(b))));
    }

    private void addSparse(List<SequenceExampleBuffer> buffers, boolean lists) {
      List<SequenceExampleBuffer> sparse =
          buffers.stream()
              .filter(b -> b.feature() instanceof SequenceExampleFeature.Sparse)
              .toList();
      sparse.forEach(b -> add(b.indices(lists)));
      sparse.forEach(b -> add(b.flatValues()));
      sparse.forEach(b -> add(b.denseShape(lists)));
    }

    private static List<SequenceExampleBuffer> dense(List<SequenceExampleBuffer> buffers) {
      return buffers.stream()
          .filter(b -> b.feature() instanceof SequenceExampleFeature.Dense)
          .toList();
    }

    private static List<SequenceExampleBuffer> ragged(List<SequenceExampleBuffer> buffers) {
      return buffers.stream()
          .filter(b -> b.feature() instanceof SequenceExampleFeature.Ragged)
          .toList();
    }

    private static Shape shape(SequenceExampleBuffer buffer) {
      return ((SequenceExampleFeature.Dense) buffer.feature()).shape();
    }

    private static DataType splits(SequenceExampleBuffer buffer) {
      return ((SequenceExampleFeature.Ragged) buffer.feature()).splits();
    }
  }
}
