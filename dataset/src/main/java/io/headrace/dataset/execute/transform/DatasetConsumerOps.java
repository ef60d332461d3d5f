package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.FunctionTemplates;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.NestedPassContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.kernels.table.TableInitializer;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.LongStream;

/**
 * The ops that read a dataset inside a graph or function: DatasetToSingleElement,
 * GetElementAtIndex, ReduceDataset, InitializeTableFromDataset and DatasetCardinality.
 */
public final class DatasetConsumerOps {
  public static final List<Op> OPS =
      List.of(
          Op.define("DatasetToSingleElement(dataset: variant) -> components: [output_types]")
              .attrs(
                  "output_types: list(type)", "output_shapes: list(shape)", "metadata: string = ''")
              .touches(Touch.ELEMENTS)
              .shape(in -> in.attrs().shapes("output_shapes"))
              .blocking(node -> new Reading(node, DatasetConsumerOps::single)),
          Op.define(
                  "ReduceDataset(input_dataset: variant, initial_state: [Tstate],"
                      + " other_arguments: [Targuments]) -> components: [output_types]")
              .attrs(
                  "f: func",
                  "Tstate: list(type)",
                  "Targuments: list(type)",
                  "output_types: list(type)",
                  "output_shapes: list(shape)",
                  "use_inter_op_parallelism: bool = true",
                  "metadata: string = ''")
              .touches(Touch.ELEMENTS)
              .shape(in -> in.attrs().shapes("output_shapes"))
              .blocking(node -> new Reading(node, DatasetConsumerOps::reduce)),
          Op.define(
                  "GetElementAtIndex(dataset: variant, index: int64) -> components: [output_types]")
              .attrs("output_types: list(type)", "output_shapes: list(shape)")
              .touches(Touch.ELEMENTS)
              .shape(in -> in.attrs().shapes("output_shapes"))
              .blocking(node -> new Reading(node, DatasetConsumerOps::at)),
          Op.define("InitializeTableFromDataset(table_handle: resource, dataset: variant)")
              .stateful()
              .touches(Touch.ELEMENTS)
              .blocking(node -> new Reading(node, DatasetConsumerOps::initializeTable)),
          Op.define("DatasetCardinality(input_dataset: variant) -> cardinality: int64")
              .attrs("cardinality_options: string = ''")
              .shape(ShapeFunctions.SCALAR)
              .kernel(node -> new Reading(node, DatasetConsumerOps::cardinality)));

  private static final int FILL_ROWS = 1024;

  private DatasetConsumerOps() {}

  /** A kernel that reads a pass and outputs the result. */
  private static final class Reading implements Kernel.Sync {
    private final NodeSpec node;
    private final BiFunction<OpArguments, IteratorContext, List<Tensor>> reader;
    private final FunctionTemplates templates;

    Reading(NodeSpec node, BiFunction<OpArguments, IteratorContext, List<Tensor>> reader) {
      this.node = node;
      this.reader = reader;
      this.templates = new FunctionTemplates(node);
    }

    @Override
    public void compute(KernelCall call) {
      OpArguments in = new OpArguments(node, call, templates::get);
      List<Tensor> results = reader.apply(in, NestedPassContext.context(call.step()));
      if (results.size() != node.outputTypes().size()) {
        throw in.invalid("%d results are declared, and are %s", node.outputTypes().size(), results);
      }
      for (int i = 0; i < results.size(); i++) {
        call.setOutput(i, results.get(i));
      }
    }
  }

  private static List<Tensor> cardinality(OpArguments in, IteratorContext context) {
    return List.of(Tensor.scalar(in.dataset("input_dataset").cardinality()));
  }

  private static List<Tensor> single(OpArguments in, IteratorContext context) {
    try (ChunkIterator rows = context.open(in.dataset("dataset"))) {
      Chunk first = rows.next(1);
      if (first == null) {
        throw StatusException.invalidArgument("Dataset was empty.");
      }
      if (rows.next(1) != null) {
        throw StatusException.invalidArgument("Dataset had more than one element.");
      }
      return first.row(0);
    }
  }

  private static List<Tensor> at(OpArguments in, IteratorContext context) {
    DatasetValue dataset = in.dataset("dataset");
    long index = in.integer("index");
    DatasetValue selected = dataset.select(() -> LongStream.of(index));
    long rows = dataset.cardinality();
    if (rows < 0) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Dataset of type %s has %s cardinality, which does not support random access.",
          dataset.getClass().getSimpleName(),
          rows == DatasetValue.INFINITE ? "infinite" : "unknown");
    }
    if (index < 0 || index >= rows) {
      throw StatusException.of(
          StatusCode.OUT_OF_RANGE, "Index out of range [0, %d):%d", rows, index);
    }
    try (ChunkIterator row = context.open(selected)) {
      Chunk found = row.next(1);
      if (found == null) {
        throw StatusException.of(
            StatusCode.OUT_OF_RANGE, "Index out of range [0, %d):%d", rows, index);
      }
      return found.row(0);
    }
  }

  private static List<Tensor> initializeTable(OpArguments in, IteratorContext context) {
    TableInitializer table = TableInitializer.of(in.tensor("table_handle"));
    DatasetValue dataset = in.dataset("dataset");
    List<DataType> types = dataset.outputTypes();
    checkTable(types.size() == 2, "Dataset should have two output types only");
    checkType("Key", table.keyType(), types.get(0));
    checkType("Value", table.valueType(), types.get(1));
    for (Shape shape : dataset.outputShapes()) {
      checkTable(
          shape.isUnknownRank() || shape.rank() == 0,
          "Expected scalar for key. Obtained: " + shape);
    }
    // Nodes that share a table by name fill it from the same dataset.
    if (!table.isInitialized()) {
      try (ChunkIterator rows = context.open(dataset)) {
        fill(table, rows);
      }
    }
    return List.of();
  }

  private static void checkType(String what, DataType expected, DataType actual) {
    checkTable(
        expected == actual,
        "%s dtype expected: %s but obtained: %s from the dataset"
            .formatted(what, expected.tfName(), actual.tfName()));
  }

  private static void checkTable(boolean holds, String message) {
    if (!holds) {
      throw StatusException.invalidArgument("%s", message);
    }
  }

  private static void fill(TableInitializer table, ChunkIterator rows) {
    List<Chunk> chunks = new ArrayList<>();
    long bytes = 0;
    for (Chunk chunk = rows.next(FILL_ROWS); chunk != null; chunk = rows.next(FILL_ROWS)) {
      bytes += chunk.byteSize();
      if (bytes > TensorLimit.maxBytes()) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "the keys and values of a table take more than %d bytes",
            TensorLimit.maxBytes());
      }
      chunks.add(chunk);
    }
    if (chunks.isEmpty()) {
      throw StatusException.of(StatusCode.OUT_OF_RANGE, "end of iterator");
    }
    Chunk all = Chunk.concat(chunks);
    Tensor keys = Column.stack(all.column(0)).tensor();
    Tensor values = Column.stack(all.column(1)).tensor();
    checkTable(
        keys.shape().rank() == 1 && values.shape().rank() == 1,
        "Expected scalar for key. Obtained: " + keys.shape().dropFirst(1));
    table.load(keys, values);
  }

  private static List<Tensor> reduce(OpArguments in, IteratorContext context) {
    List<Tensor> state = in.tensors("initial_state");
    RowFunction function = in.function("f", "other_arguments").open(context);
    try (ChunkIterator rows = context.open(in.dataset("input_dataset"))) {
      for (Chunk row = rows.next(1); row != null; row = rows.next(1)) {
        List<Tensor> arguments = new ArrayList<>(state);
        arguments.addAll(row.row(0));
        state = function.call(arguments);
      }
    }
    return state;
  }
}
