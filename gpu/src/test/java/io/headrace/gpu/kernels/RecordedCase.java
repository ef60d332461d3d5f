package io.headrace.gpu.kernels;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a node on stock TensorFlow, as {@code kernels/src/test/oracle/record.py} recorded them.
 *
 * @param name its place among the recorded ones
 * @param ulps how far floats may be off, in units in the last place
 * @param atol how far they may be off, instead
 * @param inputs those of every call
 * @param answers stock's answers to the calls, in turn
 */
record RecordedCase(
    String name,
    NodeDef def,
    double ulps,
    double atol,
    List<Tensor> inputs,
    List<RecordedAnswer> answers) {
  /** Where they are in the sources, from a module's folder. */
  static final Path FOLDER = Path.of("../kernels/src/test/resources/io/headrace/kernels/oracle");

  /** The facts from which stock infers shapes, in three ways. */
  private static final int SHAPES = 3;

  /**
   * An answer.
   *
   * @param message a part of the error's message
   */
  record RecordedAnswer(StatusCode code, String message, List<Tensor> outputs) {}

  /** All cases of the files in a folder. */
  static List<RecordedCase> all(Path folder) throws IOException {
    List<RecordedCase> cases = new ArrayList<>();
    try (var files = Files.list(folder)) {
      for (Path file :
          files.filter(each -> each.toString().endsWith(".cases.gz")).sorted().toList()) {
        try (InputStream in = Files.newInputStream(file);
            DataInputStream data = new DataInputStream(new GZIPInputStream(in))) {
          int count = data.readInt();
          for (int i = 0; i < count; i++) {
            cases.add(read(data, file.getFileName() + " " + i));
          }
        }
      }
    }
    return cases;
  }

  private static RecordedCase read(DataInputStream in, String name) throws IOException {
    var _ = bytes(in); // a label
    NodeDef def = NodeDef.parseFrom(bytes(in));
    double ulps = in.readDouble();
    double atol = in.readDouble();
    List<Tensor> inputs = tensors(in);
    int calls = in.readInt();
    List<RecordedAnswer> answers = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      answers.add(
          new RecordedAnswer(
              StatusCode.ofNumber(in.readInt()), bytes(in).toStringUtf8(), tensors(in)));
    }
    for (int i = 0; i < SHAPES; i++) {
      int shapes = in.readInt();
      for (int j = 0; j < shapes; j++) {
        var _ = bytes(in);
      }
    }
    return new RecordedCase(name, def, ulps, atol, inputs, answers);
  }

  private static List<Tensor> tensors(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Tensor> tensors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      tensors.add(TensorProtos.read(TensorProto.parseFrom(bytes(in))));
    }
    return tensors;
  }

  private static ByteString bytes(DataInputStream in) throws IOException {
    return ByteString.copyFrom(in.readNBytes(in.readInt()));
  }

  /** The node; null if there is no such op. */
  @Nullable NodeSpec node() {
    Op op = OpRegistry.standard().find(def.getOp());
    return op == null
        ? null
        : NodeSpec.of("n", op, new Attrs("n", op, def.getAttrMap()), FunctionLookup.none());
  }

  @Override
  public String toString() {
    return name + ": " + def.getOp() + " " + inputs;
  }
}
