package io.headrace.kernels.text;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.headrace.kernels.kit.PerElement;
import io.headrace.kernels.kit.Strings;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * RegexFullMatch, RegexReplace and their static forms, with RE2's syntax: matching takes time
 * linear in the text.
 */
final class RegexOps {
  private static final String REMARK =
      "In a text that is no UTF-8, a dot matches a stray byte; RE2 in TensorFlow does not.";

  private RegexOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StaticRegexFullMatch(input: string) -> output: bool")
            .attrs("pattern: string")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(node -> {
              Pattern pattern = compile(Strings.attr(node.attrs(), "pattern"));
              return new PerElement(input -> fullMatch(input, pattern));
            }),
        Op.define("RegexFullMatch(input: string, pattern: string) -> output: bool")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(_ -> new WithPattern(RegexOps::fullMatch)),
        Op.define("StaticRegexReplace(input: string) -> output: string")
            .attrs("pattern: string", "rewrite: string", "replace_global: bool = true")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(node -> new PerElement(replacer(node.attrs())::apply)),
        Op.define("RegexReplace(input: string, pattern: string, rewrite: string) -> output: string")
            .attrs("replace_global: bool = true")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(node -> {
              boolean global = node.attrs().bool("replace_global");
              return call -> replace(call, global);
            }));
  }

  private static Function<Tensor, Tensor> replacer(Attrs attrs) {
    Pattern pattern = compile(Strings.attr(attrs, "pattern"));
    RegexRewrite rewrite = RegexRewrite.parse(Strings.attr(attrs, "rewrite"));
    boolean global = attrs.bool("replace_global");
    return input -> replace(input, pattern, rewrite, global);
  }

  private static void replace(KernelCall call, boolean global) {
    Pattern pattern = compile(Strings.scalar(call.input(1), "Pattern"));
    RegexRewrite rewrite = RegexRewrite.parse(Strings.scalar(call.input(2), "Rewrite"));
    call.setOutput(0, replace(call.input(0), pattern, rewrite, global));
  }

  private static Tensor replace(
      Tensor input, Pattern pattern, RegexRewrite rewrite, boolean global) {
    Matcher matcher = pattern.matcher(Strings.EMPTY);
    return Strings.map(input, text -> rewrite.replace(matcher, text, global));
  }

  private static Tensor fullMatch(Tensor input, Pattern pattern) {
    byte[] result = (byte[]) TensorLimit.allocate(DataType.BOOL, input.shape());
    Matcher matcher = pattern.matcher(Strings.EMPTY);
    for (int i = 0; i < result.length; i++) {
      result[i] = (byte) (matcher.reset(input.string(i)).matches() ? 1 : 0);
    }
    return Tensor.of(DataType.BOOL, input.shape(), result);
  }

  private static Pattern compile(byte[] pattern) {
    String text = Strings.text(pattern);
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "Invalid pattern: " + text + ", error: " + e.getDescription(),
          e);
    }
  }

  /** A kernel with the pattern as input 1; it computes many rows if they share the pattern. */
  private record WithPattern(BiFunction<Tensor, Pattern, Tensor> map) implements Kernel.Sync {
    @Override
    public void compute(KernelCall call) {
      Pattern pattern = compile(Strings.scalar(call.input(1), "Pattern"));
      call.setOutput(0, map.apply(call.input(0), pattern));
    }

    @Override
    public boolean computeRows(RowsCall call) {
      boolean onePattern = !call.isRows(1);
      if (onePattern) {
        compute(call);
      }
      return onePattern;
    }
  }
}
