package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PrintV2Text;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** StringFormat: a template whose placeholders are replaced by the text of the inputs. */
final class StringFormatOps {
  private StringFormatOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StringFormat(inputs: [T]) -> output: string")
            .attrs(
                "T: list(type)",
                "template: string = \"%s\"",
                "placeholder: string = \"%s\"",
                "summarize: int = 3")
            .shape(in -> {
              parts(in.attrs().string("template"), in.attrs().string("placeholder"), in.count());
              return List.of(Shape.SCALAR);
            })
            .kernel(StringFormatOps::formatter));
  }

  /**
   * The literal parts of a template, before, between and after its placeholders; INVALID_ARGUMENT
   * unless there is a placeholder for each of {@code inputs}.
   */
  private static List<String> parts(String template, String placeholder, int inputs) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    if (placeholder.isEmpty()) {
      template.codePoints().forEach(c -> parts.add(Character.toString(c)));
    } else {
      for (int at = template.indexOf(placeholder); at >= 0; ) {
        parts.add(template.substring(from, at));
        from = at + placeholder.length();
        at = template.indexOf(placeholder, from);
      }
      parts.add(template.substring(from));
    }
    if (parts.size() - 1 != inputs) {
      throw invalidArgument(
          "num placeholders in template and num inputs must match: %d vs. %d",
          parts.size() - 1, inputs);
    }
    return parts;
  }

  private static Kernel.Sync formatter(NodeSpec node) {
    List<String> parts =
        parts(
            node.attrs().string("template"),
            node.attrs().string("placeholder"),
            node.inputTypes().size());
    long summarize = node.attrs().integer("summarize");
    return call -> {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      text.writeBytes(ByteStrings.bytes(parts.getFirst()));
      for (int i = 0; i < call.inputs(); i++) {
        text.writeBytes(PrintV2Text.of(call.input(i), summarize));
        text.writeBytes(ByteStrings.bytes(parts.get(i + 1)));
      }
      call.setOutput(0, Tensor.wrap(text.toByteArray()));
    };
  }
}
