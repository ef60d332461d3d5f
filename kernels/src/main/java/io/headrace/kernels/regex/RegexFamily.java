package io.headrace.kernels.regex;

import io.headrace.runtime.op.Op;
import java.util.List;

/** Ops that match and replace regular expressions. */
public final class RegexFamily {
  private RegexFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return RegexOps.ops();
  }
}
