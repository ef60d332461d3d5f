package io.headrace.kernels;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * A call of an op on stock TensorFlow, as recorded by src/test/oracle/record.py.
 *
 * @param label distinguishes it within its family
 * @param node op and attrs
 * @param ulps tolerance of floats, in units in the last place
 * @param atol absolute tolerance of floats, sufficient instead of {@code ulps}
 * @param inputs the inputs of every call
 * @param answers stock's answer to each call of the same node
 * @param shapes the output shapes that stock infers, by the {@link Known} facts of the inputs;
 *     absent where it refuses the inputs
 */
public record OracleCase(
    String label,
    NodeDef node,
    double ulps,
    double atol,
    List<Tensor> inputs,
    List<Answer> answers,
    Map<Known, List<Shape>> shapes) {
  /** The facts from which shapes are inferred, in the order of the file format. */
  public enum Known {
    CONSTANTS,
    RANKS,
    NOTHING
  }

  /**
   * The answer to one call.
   *
   * @param code OK or the error's code
   * @param message a fragment of the error's message
   * @param outputs the outputs if {@code code} is OK
   */
  public record Answer(StatusCode code, String message, List<Tensor> outputs) {}

  /** Reads the cases of the file {@code in}. */
  public static List<OracleCase> readAll(InputStream in, String family) throws IOException {
    try (DataInputStream data = new DataInputStream(new GZIPInputStream(in))) {
      int count = data.readInt();
      List<OracleCase> cases = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        cases.add(read(data, family + " " + i));
      }
      return cases;
    }
  }

  private static OracleCase read(DataInputStream in, String position) throws IOException {
    String label = bytes(in).toStringUtf8();
    NodeDef node = NodeDef.parseFrom(bytes(in));
    double ulps = in.readDouble();
    double atol = in.readDouble();
    List<Tensor> inputs = tensors(in);
    int calls = in.readInt();
    List<Answer> answers = new ArrayList<>(calls);
    for (int i = 0; i < calls; i++) {
      answers.add(
          new Answer(StatusCode.ofNumber(in.readInt()), bytes(in).toStringUtf8(), tensors(in)));
    }
    String name = position + ": " + node.getOp() + " " + inputs + " " + label;
    Map<Known, List<Shape>> shapes = new EnumMap<>(Known.class);
    for (Known known : Known.values()) {
      shapes(in).ifPresent(s -> shapes.put(known, s));
    }
    return new OracleCase(name, node, ulps, atol, inputs, answers, shapes);
  }

  private static List<Tensor> tensors(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Tensor> tensors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      tensors.add(TensorProtos.read(TensorProto.parseFrom(bytes(in))));
    }
    return tensors;
  }

  private static Optional<List<Shape>> shapes(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0) {
      return Optional.empty();
    }
    List<Shape> shapes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      shapes.add(TensorProtos.shape(TensorShapeProto.parseFrom(bytes(in))));
    }
    return Optional.of(shapes);
  }

  private static ByteString bytes(DataInputStream in) throws IOException {
    return ByteString.copyFrom(in.readNBytes(in.readInt()));
  }

  @Override
  public String toString() {
    return label;
  }
}
