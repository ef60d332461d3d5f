package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import io.headrace.runtime.time.SystemTicker;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.Stream;

/** The ops that CPUs compute, a family a class. */
public final class CpuOps implements OpLibrary {
  @Override
  @SuppressWarnings("SystemOut") // what the printing ops are for
  public List<Op> ops() {
    SecureRandom entropy = new SecureRandom();
    return Stream.of(
            CheckpointFamily.ops(),
            ElementwiseFamily.ops(),
            ExampleFamily.ops(),
            FlowFamily.ops(),
            ImageFamily.ops(entropy::nextLong),
            IoFamily.ops(SystemTicker.INSTANCE),
            LinalgFamily.ops(),
            MovementFamily.ops(),
            NnFamily.ops(entropy::nextLong),
            RaggedFamily.ops(),
            RandomFamily.ops(entropy::nextLong),
            ResourceFamily.ops(entropy::nextLong),
            SignalFamily.ops(),
            SparseFamily.ops(),
            SummaryFamily.ops(SystemTicker.INSTANCE, SystemTicker.INSTANCE),
            TableFamily.ops(),
            TextFamily.ops(),
            VariableFamily.ops(),
            VariantFamily.ops())
        .flatMap(List::stream)
        .toList();
  }
}
