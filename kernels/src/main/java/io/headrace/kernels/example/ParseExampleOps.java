package io.headrace.kernels.example;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** ParseExample, ParseExampleV2 and ParseSingleExample: tf.Examples to tensors. */
final class ParseExampleOps {
  private ParseExampleOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ParseExampleV2(serialized: string, names: string, sparse_keys: string,"
                    + " dense_keys: string, ragged_keys: string, dense_defaults: [Tdense])"
                    + " -> (sparse_indices: num_sparse * int64, sparse_values: [sparse_types],"
                    + " sparse_shapes: num_sparse * int64, dense_values: [Tdense],"
                    + " ragged_values: [ragged_value_types],"
                    + " ragged_row_splits: [ragged_split_types])")
            .attrs(
                "Tdense: list({float, int64, string})",
                "num_sparse: int",
                "sparse_types: list({float, int64, string})",
                "ragged_value_types: list({float, int64, string})",
                "ragged_split_types: list({int32, int64})",
                "dense_shapes: list(shape)")
            .shape(inputs -> infer(inputs, inputs.shape(0)))
            .kernel(node -> new ParseExample(node, Form.V2)),
        Op.define(
                "ParseExample(serialized: string, names: string, sparse_keys: Nsparse * string,"
                    + " dense_keys: Ndense * string, dense_defaults: [Tdense])"
                    + " -> (sparse_indices: Nsparse * int64, sparse_values: [sparse_types],"
                    + " sparse_shapes: Nsparse * int64, dense_values: [Tdense])")
            .attrs(
                "Nsparse: int",
                "Ndense: int",
                "sparse_types: list({float, int64, string})",
                "Tdense: list({float, int64, string})",
                "dense_shapes: list(shape)")
            .shape(inputs -> infer(inputs, vector(inputs.shape(0))))
            .kernel(node -> new ParseExample(node, Form.V1)),
        Op.define(
                "ParseSingleExample(serialized: string, dense_defaults: [Tdense])"
                    + " -> (sparse_indices: num_sparse * int64, sparse_values: [sparse_types],"
                    + " sparse_shapes: num_sparse * int64, dense_values: [Tdense])")
            .attrs(
                "num_sparse: int",
                "sparse_keys: list(string)",
                "dense_keys: list(string)",
                "sparse_types: list({float, int64, string})",
                "Tdense: list({float, int64, string})",
                "dense_shapes: list(shape)")
            .shape(inputs -> infer(inputs, Shape.SCALAR))
            .kernel(node -> new ParseExample(node, Form.SINGLE)));
  }

  /** The three ops, which differ in the source of keys and names: inputs or attrs. */
  private enum Form {
    V2,
    V1,
    SINGLE
  }

  private static Shape vector(Shape shape) {
    return shape.rank() == 1 ? shape : Shape.of(Shape.UNKNOWN_DIMENSION);
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs, Shape serialized) {
    Attrs attrs = inputs.attrs();
    int sparse = attrs.types("sparse_types").size();
    int rank = serialized.rank();
    long unknown = Shape.UNKNOWN_DIMENSION;
    long indexSize = rank < 0 ? unknown : rank + 1;
    List<Shape> result = new ArrayList<>();
    result.addAll(Collections.nCopies(sparse, Shape.of(unknown, indexSize)));
    result.addAll(Collections.nCopies(sparse, Shape.of(unknown)));
    result.addAll(Collections.nCopies(sparse, Shape.of(indexSize)));
    for (Shape shape : attrs.shapes("dense_shapes")) {
      result.add(rank < 0 ? Shape.UNKNOWN : rank == 0 ? shape : shape.prepend(serialized.size(0)));
    }
    if (attrs.has("ragged_value_types")) {
      int ragged = attrs.types("ragged_value_types").size();
      boolean known = rank == 1 && serialized.size(0) >= 0;
      result.addAll(Collections.nCopies(ragged, Shape.of(unknown)));
      result.addAll(
          Collections.nCopies(ragged, Shape.of(known ? serialized.size(0) + 1 : unknown)));
    }
    return result;
  }

  private static final class ParseExample implements Kernel.Sync {
    private final Form form;
    private final List<DataType> denseTypes;
    private final List<Shape> denseShapes;
    private final List<DataType> sparseTypes;
    private final List<DataType> raggedTypes;
    private final List<DataType> raggedSplits;
    private final List<Tensor> attrKeys;
    private volatile @Nullable CachedParser cached;

    /** A parser, and the key and default tensors that it was made from. */
    private record CachedParser(List<Tensor> source, ExampleParser parser) {
      boolean isFrom(List<Tensor> inputs) {
        for (int i = 0; i < inputs.size(); i++) {
          if (inputs.get(i) != source.get(i)) {
            return false;
          }
        }
        return true;
      }
    }

    ParseExample(NodeSpec node, Form form) {
      Attrs attrs = node.attrs();
      this.form = form;
      this.denseTypes = attrs.types("Tdense");
      this.denseShapes = attrs.shapes("dense_shapes");
      this.sparseTypes = attrs.types("sparse_types");
      boolean ragged = form == Form.V2;
      this.raggedTypes = ragged ? attrs.types("ragged_value_types") : List.of();
      this.raggedSplits = ragged ? attrs.types("ragged_split_types") : List.of();
      boolean single = form == Form.SINGLE;
      this.attrKeys =
          single
              ? List.of(keys(attrs.strings("sparse_keys")), keys(attrs.strings("dense_keys")))
              : List.of();
      checkCounts(attrs);
    }

    private static Tensor keys(List<String> keys) {
      return Tensor.vector(keys.toArray(String[]::new));
    }

    private void checkCounts(Attrs attrs) {
      long sparse = attrs.integer(form == Form.V1 ? "Nsparse" : "num_sparse");
      if (sparse != sparseTypes.size()) {
        throw StatusException.invalidArgument("len(sparse_keys) != len(sparse_types)");
      }
      if (denseTypes.size() != denseShapes.size()) {
        throw StatusException.invalidArgument("len(dense_keys) != len(dense_shapes)");
      }
      if (raggedTypes.size() != raggedSplits.size()) {
        throw StatusException.invalidArgument("len(ragged_keys) != len(ragged_split_types)");
      }
    }

    @Override
    public void compute(KernelCall call) {
      Tensor serialized = call.input(0);
      checkShape(serialized);
      ExampleParser parser = parser(call);
      ParsedExamples parsed =
          serialized.shape().rank() == 0
              ? parser.parseScalar(serialized.string(0))
              : parser.parseVector(serialized, names(call), call.cancellation());
      setOutputs(call, parsed);
    }

    @Override
    public boolean computeRows(RowsCall call) {
      for (int i = 1; i < call.inputs(); i++) {
        if (call.isRows(i)) {
          return false;
        }
      }
      ExampleParser parser = parser(call);
      boolean scalars = call.input(0).shape().rank() == 1;
      if (!scalars || form == Form.V1 || !parser.isDense()) {
        return false;
      }
      setOutputs(call, parser.parseVector(call.input(0), null, call.cancellation()));
      return true;
    }

    private void checkShape(Tensor serialized) {
      int rank = serialized.shape().rank();
      String wanted =
          switch (form) {
            case V2 -> rank > 1 ? "a scalar or vector" : "";
            case V1 -> rank != 1 ? "a vector" : "";
            case SINGLE -> rank != 0 ? "a scalar" : "";
          };
      if (!wanted.isEmpty()) {
        throw StatusException.invalidArgument(
            "Expected serialized to be %s, got shape: %s", wanted, serialized.shape());
      }
    }

    private @Nullable Tensor names(KernelCall call) {
      Tensor names = call.input(1);
      if (names.elements() > 0 && !names.shape().equals(call.input(0).shape())) {
        throw StatusException.invalidArgument(
            "Expected names have the same shape as serialized: name.shape=%s, serialized.shape=%s",
            names.shape(), call.input(0).shape());
      }
      return names.elements() == 0 ? null : names;
    }

    private ExampleParser parser(KernelCall call) {
      List<Tensor> inputs = new ArrayList<>(attrKeys);
      for (int i = form == Form.SINGLE ? 1 : 2; i < call.inputs(); i++) {
        inputs.add(call.input(i));
      }
      CachedParser last = cached;
      if (last == null || !last.isFrom(inputs)) {
        last = new CachedParser(inputs, parser(inputs));
        cached = last;
      }
      return last.parser();
    }

    /** Makes a parser from sparse, dense and ragged keys, then defaults. */
    private ExampleParser parser(List<Tensor> inputs) {
      boolean lists = form == Form.V1;
      int sparseInputs = lists ? sparseTypes.size() : 1;
      int denseInputs = lists ? denseTypes.size() : 1;
      int raggedInputs = form == Form.V2 ? 1 : 0;
      int keyInputs = sparseInputs + denseInputs + raggedInputs;
      checkKeys("sparse", inputs.subList(0, sparseInputs), sparseTypes.size());
      checkKeys(
          "dense", inputs.subList(sparseInputs, sparseInputs + denseInputs), denseTypes.size());
      checkKeys(
          "ragged", inputs.subList(sparseInputs + denseInputs, keyInputs), raggedTypes.size());
      List<Tensor> defaults = inputs.subList(keyInputs, inputs.size());
      List<ExampleFeature> features = new ArrayList<>();
      sparseTypes.forEach(type -> features.add(new ExampleFeature.Sparse(type)));
      for (int i = 0; i < denseTypes.size(); i++) {
        features.add(
            ExampleFeature.dense(i, denseTypes.get(i), denseShapes.get(i), defaults.get(i)));
      }
      for (int i = 0; i < raggedTypes.size(); i++) {
        features.add(new ExampleFeature.Ragged(raggedTypes.get(i), raggedSplits.get(i)));
      }
      return new ExampleParser(ExampleParser.names(inputs.subList(0, keyInputs)), features);
    }

    private void checkKeys(String kind, List<Tensor> keys, int expected) {
      int count = ExampleParser.names(keys).size();
      if (count != expected) {
        String types = kind.equals("sparse") ? "num_sparse" : "len(" + kind + "_types)";
        throw StatusException.invalidArgument(
            "Expected len(%s_keys) == %s but got: %d vs. %d",
            kind, kind.equals("ragged") ? "len(ragged_value_types)" : types, count, expected);
      }
    }

    private void setOutputs(KernelCall call, ParsedExamples parsed) {
      int sparse = sparseTypes.size();
      int dense = denseTypes.size();
      int ragged = raggedTypes.size();
      for (int i = 0; i < sparse; i++) {
        call.setOutput(i, parsed.sparseIndices(i));
        call.setOutput(sparse + i, parsed.values(i));
        call.setOutput(2 * sparse + i, parsed.sparseShape(i));
      }
      for (int i = 0; i < dense; i++) {
        call.setOutput(3 * sparse + i, parsed.values(sparse + i));
      }
      for (int i = 0; i < ragged; i++) {
        int feature = sparse + dense + i;
        call.setOutput(3 * sparse + dense + i, parsed.values(feature));
        call.setOutput(3 * sparse + dense + ragged + i, parsed.raggedSplits(feature));
      }
    }
  }
}
