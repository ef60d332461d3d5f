package io.headrace.kernels.regex;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.function.BiFunction;

/**
 * RegexFullMatch, RegexReplace and their static forms, with RE2's syntax: matching takes time
 * linear in the text.
 */
final class RegexOps {
  private static final String REMARK =
      "The bound on the size of a pattern is RE2's, but instructions are counted in another way: a"
          + " pattern of about 698000 instructions may be refused by one side alone. Messages show"
          + " the first 1000 characters of a pattern.";

  private RegexOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StaticRegexFullMatch(input: string) -> output: bool")
            .attrs("pattern: string")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(node ->
                new PerText(
                    RegexPattern.compile(ByteStrings.attr(node.attrs(), "pattern"))::fullMatch)),
        Op.define("RegexFullMatch(input: string, pattern: string) -> output: bool")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(_ -> new FullMatch(new RegexCache())),
        Op.define("StaticRegexReplace(input: string) -> output: string")
            .attrs("pattern: string", "rewrite: string", "replace_global: bool = true")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(node -> replacing(node.attrs())),
        Op.define("RegexReplace(input: string, pattern: string, rewrite: string) -> output: string")
            .attrs("replace_global: bool = true")
            .shape(ShapeFunctions.SAME)
            .remark(REMARK)
            .kernel(node -> {
              boolean global = node.attrs().bool("replace_global");
              RegexCache cache = new RegexCache();
              return call -> replace(call, cache, global);
            }));
  }

  private static PerText replacing(Attrs attrs) {
    RegexPattern pattern = RegexPattern.compile(ByteStrings.attr(attrs, "pattern"));
    RegexRewrite rewrite = RegexRewrite.parse(ByteStrings.attr(attrs, "rewrite"));
    boolean global = attrs.bool("replace_global");
    return new PerText(
        (input, cancellation) -> pattern.replace(input, rewrite, global, cancellation));
  }

  private static void replace(KernelCall call, RegexCache cache, boolean global) {
    RegexPattern pattern = cache.compile(ByteStrings.scalar(call.input(1), "Pattern"));
    RegexRewrite rewrite = RegexRewrite.parse(ByteStrings.scalar(call.input(2), "Rewrite"));
    call.setOutput(0, pattern.replace(call.input(0), rewrite, global, call.cancellation()));
  }

  /** A kernel that maps each text by itself, so that many rows are computed as one tensor. */
  private record PerText(BiFunction<Tensor, Cancellation, Tensor> map) implements Kernel.Sync {
    @Override
    public void compute(KernelCall call) {
      call.setOutput(0, map.apply(call.input(0), call.cancellation()));
    }

    @Override
    public boolean computeRows(RowsCall call) {
      compute(call);
      return true;
    }
  }

  /** The kernel with the pattern as input 1; it computes many rows if they share the pattern. */
  private record FullMatch(RegexCache cache) implements Kernel.Sync {
    @Override
    public void compute(KernelCall call) {
      RegexPattern pattern = cache.compile(ByteStrings.scalar(call.input(1), "Pattern"));
      call.setOutput(0, pattern.fullMatch(call.input(0), call.cancellation()));
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
