package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.Stream;

/** The ops that CPUs compute, a family a class. */
public final class CpuOps implements OpLibrary {
  @Override
  public List<Op> ops() {
    SecureRandom entropy = new SecureRandom();
    return Stream.of(
            ArithmeticOps.OPS, // one family a line
            MathOps.OPS,
            CompareOps.OPS,
            LogicOps.OPS,
            SelectOps.OPS,
            CastOps.OPS,
            CompressionOps.ops(),
            ControlFlowOps.OPS,
            PassingOps.ops(),
            ShapeOps.ops(),
            JoiningOps.ops(),
            PartingOps.ops(),
            ShapeQueryOps.ops(),
            SliceOps.ops(),
            RandomOps.ops(entropy::nextLong))
        .flatMap(List::stream)
        .toList();
  }
}
