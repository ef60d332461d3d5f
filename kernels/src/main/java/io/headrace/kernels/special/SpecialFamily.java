package io.headrace.kernels.special;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Special functions. */
public final class SpecialFamily {
  private SpecialFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(BesselOps.OPS, SpecialFunctionOps.OPS, BetaincOps.OPS)
        .flatMap(List::stream)
        .toList();
  }
}
