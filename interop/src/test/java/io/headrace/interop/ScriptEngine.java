package io.headrace.interop;

import com.google.protobuf.ByteString;
import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.op.AttrKind;
import io.headrace.runtime.op.AttrSpec;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.time.SystemTicker;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Headrace's engine, in this JVM, for a script that compares it with stock TensorFlow. Answers one
 * request at a time, in the format of {@code engine.py}.
 *
 * <p>An exception that is no StatusException is a bug; it is answered as {@link #BUG}, a code that
 * stock never gives.
 */
final class ScriptEngine {
  /** The code of an answer that is an exception other than StatusException. */
  private static final int BUG = -1;

  private final DataInputStream in;
  private final DataOutputStream out;
  private final Cancellation cancellation;

  ScriptEngine(DataInputStream in, DataOutputStream out, Cancellation cancellation) {
    this.in = in;
    this.out = out;
    this.cancellation = cancellation;
  }

  /** Answers with the declared ops: name, whether it is free of effects, dtypes of its attrs. */
  void listOps() throws IOException {
    List<Op> ops = List.copyOf(OpRegistry.standard().ops());
    out.writeInt(ops.size());
    for (Op op : ops) {
      text(op.name());
      out.writeInt(op.isStateful() || !op.touches().isEmpty() || op.mayWait() ? 0 : 1);
      List<AttrSpec> types =
          op.attrs().values().stream().filter(a -> a.elementKind() == AttrKind.TYPE).toList();
      out.writeInt(types.size());
      for (AttrSpec attr : types) {
        text(attr.name());
        out.writeInt(attr.types().size());
        for (DataType type : attr.types()) {
          out.writeInt(type.number());
        }
      }
    }
    out.flush();
  }

  /**
   * Calls a function for several rows: first one row at a time, then all rows as columns, as a map
   * before a batch runs it.
   */
  void callFunction() throws IOException {
    FunctionDef definition = FunctionDef.parseFrom(bytes());
    List<Tensor> captured = tensors();
    List<List<Tensor>> rows = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      rows.add(tensors());
    }
    for (List<Tensor> row : rows) {
      answer(() -> call(definition, row, captured));
    }
    answerRows(definition, rows, captured);
    out.flush();
  }

  private List<Tensor> call(FunctionDef definition, List<Tensor> row, List<Tensor> captured) {
    List<Tensor> arguments = new ArrayList<>(row);
    arguments.addAll(captured);
    return instance(definition).call(arguments, step());
  }

  private static CallableFunction instance(FunctionDef definition) {
    FunctionDefLibrary library = FunctionDefLibrary.newBuilder().addFunction(definition).build();
    return new FunctionLibrary(library, OpRegistry.standard())
        .instantiate(new FunctionRef(definition.getSignature().getName()));
  }

  private StepContext step() {
    return StepContext.standalone().withCancellation(cancellation);
  }

  private void answerRows(FunctionDef definition, List<List<Tensor>> rows, List<Tensor> captured)
      throws IOException {
    RowsResult result;
    try {
      List<Column> columns = new ArrayList<>();
      for (int i = 0; i < rows.getFirst().size(); i++) {
        int component = i;
        columns.add(
            new Column.Stacked(
                Column.stackRows(rows.stream().map(row -> row.get(component)).toList())));
      }
      result = instance(definition).callRows(rows.size(), columns, captured, step());
    } catch (StatusException e) {
      result = new RowsResult(0, List.of(), e);
    } catch (RuntimeException | StackOverflowError e) {
      out.writeInt(0);
      failure(BUG, e.toString());
      return;
    }
    out.writeInt(result.rows());
    for (int row = 0; row < result.rows(); row++) {
      int at = row;
      tensors(result.columns().stream().map(column -> column.row(at)).toList());
    }
    StatusException failure = result.failure();
    if (failure == null) {
      failure(0, "");
    } else {
      failure(failure.code().number(), failure.message());
    }
  }

  /** Reads a dataset from its graph, up to a number of elements or an error. */
  void readDataset() throws IOException {
    GraphDef graph = GraphDef.parseFrom(bytes());
    int most = in.readInt();
    int chunkRows = in.readInt();
    List<List<Tensor>> elements = new ArrayList<>();
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("pass-", 0).factory());
    int code = 0;
    String message = "";
    try {
      read(graph, most, chunkRows, threads, elements);
    } catch (StatusException e) {
      code = e.code().number();
      message = e.message();
    } catch (RuntimeException | StackOverflowError e) {
      code = BUG;
      message = e.toString();
    } finally {
      threads.shutdownNow();
    }
    failure(code, message);
    out.writeInt(elements.size());
    for (List<Tensor> element : elements) {
      tensors(element);
    }
    out.flush();
  }

  private void read(
      GraphDef graph,
      int most,
      int chunkRows,
      ExecutorService threads,
      List<List<Tensor>> elements) {
    StepContext step = step();
    DatasetValue dataset = DatasetGraph.read(graph).load(OpRegistry.standard(), step);
    IteratorContext context =
        new IteratorContext(
            step, SystemTicker.INSTANCE, new SplittableRandom(1), threads, 4, 1 << 20);
    try (ChunkIterator pass = context.open(dataset)) {
      while (elements.size() < most) {
        Chunk chunk = pass.next(Math.min(chunkRows, most - elements.size()));
        if (chunk == null) {
          return;
        }
        for (int row = 0; row < chunk.rows(); row++) {
          elements.add(chunk.row(row));
        }
      }
    }
  }

  private void answer(Supplier<List<Tensor>> computation) throws IOException {
    List<Tensor> outputs;
    try {
      outputs = computation.get();
    } catch (StatusException e) {
      failure(e.code().number(), e.message());
      return;
    } catch (RuntimeException | StackOverflowError e) {
      failure(BUG, e + " at " + place(e));
      return;
    }
    failure(0, "");
    tensors(outputs);
  }

  private static @Nullable StackTraceElement place(Throwable e) {
    return e.getStackTrace().length == 0 ? null : e.getStackTrace()[0];
  }

  private void failure(int code, String message) throws IOException {
    out.writeInt(code);
    text(message);
  }

  private List<Tensor> tensors() throws IOException {
    List<Tensor> tensors = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      tensors.add(TensorProtos.read(TensorProto.parseFrom(bytes())));
    }
    return tensors;
  }

  private void tensors(List<Tensor> tensors) throws IOException {
    out.writeInt(tensors.size());
    for (Tensor tensor : tensors) {
      byte[] message = message(tensor).toByteArray();
      out.writeInt(message.length);
      out.write(message);
    }
  }

  /** Strings in the list of values, other elements as content; references by their dtype alone. */
  private static TensorProto message(Tensor tensor) {
    return switch (tensor.dtype()) {
      case STRING -> {
        TensorProto.Builder message =
            TensorProto.newBuilder()
                .setDtypeValue(tensor.dtype().number())
                .setTensorShape(TensorProtos.shape(tensor.shape()));
        for (int i = 0; i < tensor.elements(); i++) {
          message.addStringVal(ByteString.copyFrom(tensor.string(i)));
        }
        yield message.build();
      }
      case VARIANT, RESOURCE ->
          TensorProto.newBuilder().setDtypeValue(tensor.dtype().number()).build();
      default -> TensorProtos.write(tensor);
    };
  }

  private byte[] bytes() throws IOException {
    return in.readNBytes(in.readInt());
  }

  private void text(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }
}
