package io.headrace.kernels.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.headrace.kernels.FakeCall;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of Print and PrintV2; the expected lines are stock TensorFlow's. */
final class PrintOpsTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<Op> ops =
      PrintOps.ops(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));

  private Kernel.Sync kernel(String name, Map<String, AttrValue> attrs) {
    Op op = ops.stream().filter(o -> o.name().equals(name)).findFirst().orElseThrow();
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    return (Kernel.Sync) CpuKernels.create(node);
  }

  private static List<Tensor> run(Kernel.Sync kernel, int outputs, Tensor... inputs) {
    FakeCall call = FakeCall.of(List.of(inputs), StepContext.standalone());
    kernel.compute(call);
    return call.outputs(outputs);
  }

  private static AttrValue text(String value) {
    return AttrValue.newBuilder().setS(ByteString.copyFromUtf8(value)).build();
  }

  private static AttrValue number(long value) {
    return AttrValue.newBuilder().setI(value).build();
  }

  private Kernel.Sync print(long firstN, long summarize) {
    AttrValue.ListValue types =
        AttrValue.ListValue.newBuilder()
            .addTypeValue(DataType.FLOAT32.number())
            .addTypeValue(DataType.STRING.number())
            .build();
    Map<String, AttrValue> attrs = new HashMap<>();
    attrs.put("T", AttrValue.newBuilder().setTypeValue(DataType.INT32.number()).build());
    attrs.put("U", AttrValue.newBuilder().setList(types).build());
    attrs.put("message", text("msg"));
    attrs.put("first_n", number(firstN));
    attrs.put("summarize", number(summarize));
    return kernel("Print", attrs);
  }

  @Test
  void print_ofValues_writesFirstOnesToStandardErrorAndPassesInputOn() {
    Tensor input = Tensor.vector(1, 2);

    List<Tensor> outputs =
        run(print(-1, 3), 1, input, Tensor.vector(1.5f, 2, 3, 4), Tensor.scalar("a"));

    assertThat(outputs).containsExactly(input);
    assertThat(err.toString(UTF_8)).isEqualTo("msg[1.5 2 3...][a]\n");
    assertThat(out.size()).isZero();
  }

  @Test
  void print_ofFirstN_writesThatOften() {
    Kernel.Sync print = print(2, -1);
    for (int i = 0; i < 4; i++) {
      run(print, 1, Tensor.scalar(i), Tensor.vector((float) i, 2, 3, 4), Tensor.scalar("b"));
    }

    assertThat(err.toString(UTF_8)).isEqualTo("msg[0 2 3 4][b]\nmsg[1 2 3 4][b]\n");
  }

  @Test
  void printV2_ofString_writesItAndItsEndToTheStreamNamed() {
    run(kernel("PrintV2", Map.of()), 0, Tensor.scalar("to error"));
    run(
        kernel("PrintV2", Map.of("output_stream", text("stdout"), "end", text("|"))),
        0,
        Tensor.scalar("to output"));

    assertThat(err.toString(UTF_8)).isEqualTo("to error\n");
    assertThat(out.toString(UTF_8)).isEqualTo("to output|");
  }

  @Test
  void printV2_toFile_appends(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("printed");
    Kernel.Sync print = kernel("PrintV2", Map.of("output_stream", text("file://" + file)));
    run(print, 0, Tensor.scalar("one"));
    run(print, 0, Tensor.scalar("two"));

    assertThat(Files.readString(file)).isEqualTo("one\ntwo\n");
  }

  @Test
  void printV2_ofWhatItCannotWrite_isRefused() {
    assertThatThrownBy(() -> kernel("PrintV2", Map.of("output_stream", text("printer"))))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Unknown output stream: printer, Valid streams are: stdout");
    assertThatThrownBy(() -> kernel("PrintV2", Map.of("output_stream", text("file://a\0b"))))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("cannot be the name of a file");
    Kernel.Sync toFolder = kernel("PrintV2", Map.of("output_stream", text("file:///")));
    assertThatThrownBy(() -> run(toFolder, 0, Tensor.scalar("text")))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("cannot append to /: it is no file");
    Kernel.Sync print = kernel("PrintV2", Map.of());
    assertThatThrownBy(() -> run(print, 0, Tensor.vector("a", "b")))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Input is expected to be scalar, but got [2]");
    assertThat(err.size()).isZero();
  }

  @Test
  void printing_isAnEffect_soThatNobodyLeavesItOutOrReordersIt() {
    assertThat(ops).extracting(Op::effect).containsOnly(Effect.CHANGES);
  }
}
