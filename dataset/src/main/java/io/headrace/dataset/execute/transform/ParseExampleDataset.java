package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.FunctionTemplate;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Declares {@code ParseExampleDataset}: the features of vectors of serialized tf.Examples, a
 * component for each feature, sorted by key; sparse and ragged ones as variants. Implemented as a
 * map of a function that calls ParseExampleV2.
 */
public final class ParseExampleDataset {
  private static final String SIGNATURE =
      "(input_dataset: variant, num_parallel_calls: int64, dense_defaults: [Tdense])";
  private static final String TYPES = "list({float, int64, string})";
  private static final String[] ATTRS = {
    "sparse_keys: list(string)",
    "dense_keys: list(string)",
    "sparse_types: " + TYPES,
    "Tdense: " + TYPES,
    "dense_shapes: list(shape)",
    "output_types: list(type)",
    "output_shapes: list(shape)",
    "ragged_keys: list(string) = []",
    "ragged_value_types: " + TYPES + " = []",
    "ragged_split_types: list({int32, int64}) = []"
  };

  public static final List<Op> OPS =
      List.of(
          DatasetOp.define("ParseExampleDataset" + SIGNATURE)
              .attrs(ATTRS)
              .attrs("sloppy: bool = false")
              .kernel(
                  DatasetKernel.making(
                      in -> of(in, Parallelism.ofSloppy(in, in.attrs().bool("sloppy"))))),
          DatasetOp.define("ParseExampleDatasetV2" + SIGNATURE)
              .attrs(ATTRS)
              .attrs("deterministic: string = 'default'")
              .kernel(DatasetKernel.making(in -> of(in, Parallelism.of(in)))));

  private ParseExampleDataset() {}

  private static DatasetValue of(OpArguments in, Parallelism parallelism) {
    DatasetValue input = in.dataset("input_dataset");
    if (!input.outputTypes().equals(List.of(DataType.STRING))) {
      throw in.invalid(
          "the input's elements must be vectors of strings, and are %s", input.outputTypes());
    }
    Attrs attrs = in.attrs();
    List<Tensor> defaults = in.tensors("dense_defaults");
    TracedFunction function =
        FunctionBuilder.trace(
            "parse_example",
            OpRegistry.standard(),
            List.of(DataType.STRING),
            input.outputShapes(),
            arguments -> parse(attrs, arguments.getFirst(), defaults));
    FunctionDefLibrary library =
        FunctionDefLibrary.newBuilder().addAllFunction(function.library().values()).build();
    FunctionTemplate template =
        new FunctionTemplate(
            new FunctionLibrary(library, OpRegistry.standard()), new FunctionRef(function.name()));
    return new MapDataset(
        input, new CapturedFunction(template, List.of()), in.spec(), true, parallelism);
  }

  private static List<Output> parse(Attrs attrs, Output serialized, List<Tensor> defaults) {
    List<String> sparse = attrs.strings("sparse_keys");
    List<String> dense = attrs.strings("dense_keys");
    List<String> ragged = attrs.strings("ragged_keys");
    NodeBuilder node =
        GraphBuilder.current()
            .op("ParseExampleV2")
            .input(serialized)
            .input(Tensor.vector(new String[0]))
            .input(keys(sparse))
            .input(keys(dense))
            .input(keys(ragged))
            .constants(defaults)
            .types("Tdense", attrs.types("Tdense"))
            .attr("num_sparse", sparse.size())
            .types("sparse_types", attrs.types("sparse_types"))
            .types("ragged_value_types", attrs.types("ragged_value_types"))
            .types("ragged_split_types", attrs.types("ragged_split_types"))
            .shapes("dense_shapes", attrs.shapes("dense_shapes"));
    List<Output> parsed = node.buildAll();
    Map<String, Output> byKey = new TreeMap<>();
    int s = sparse.size();
    for (int i = 0; i < s; i++) {
      byKey.put(sparse.get(i), packed(parsed.get(i), parsed.get(s + i), parsed.get(2 * s + i)));
    }
    for (int i = 0; i < dense.size(); i++) {
      byKey.put(dense.get(i), parsed.get(3 * s + i));
    }
    int first = 3 * s + dense.size();
    for (int i = 0; i < ragged.size(); i++) {
      byKey.put(
          ragged.get(i), packed(parsed.get(first + i), parsed.get(first + ragged.size() + i)));
    }
    return new ArrayList<>(byKey.values());
  }

  private static Tensor keys(List<String> keys) {
    return Tensor.vector(keys.toArray(String[]::new));
  }

  private static Output packed(Output indices, Output values, Output shape) {
    return GraphBuilder.current()
        .op("SerializeSparse")
        .input(indices)
        .input(values)
        .input(shape)
        .attr("out_type", DataType.VARIANT)
        .build();
  }

  private static Output packed(Output values, Output splits) {
    return GraphBuilder.current()
        .op("RaggedTensorToVariant")
        .inputs(List.of(splits))
        .input(values)
        .attr("batched_input", false)
        .build();
  }
}
