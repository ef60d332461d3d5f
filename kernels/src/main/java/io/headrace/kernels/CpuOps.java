package io.headrace.kernels;

import io.headrace.kernels.checkpoint.CheckpointFamily;
import io.headrace.kernels.elementwise.ElementwiseFamily;
import io.headrace.kernels.example.ExampleFamily;
import io.headrace.kernels.flow.FlowFamily;
import io.headrace.kernels.image.ImageFamily;
import io.headrace.kernels.io.IoFamily;
import io.headrace.kernels.linalg.LinalgFamily;
import io.headrace.kernels.movement.MovementFamily;
import io.headrace.kernels.nn.NnFamily;
import io.headrace.kernels.protobuf.ProtobufFamily;
import io.headrace.kernels.ragged.RaggedFamily;
import io.headrace.kernels.random.RandomFamily;
import io.headrace.kernels.regex.RegexFamily;
import io.headrace.kernels.resource.ResourceFamily;
import io.headrace.kernels.signal.SignalFamily;
import io.headrace.kernels.sparse.SparseFamily;
import io.headrace.kernels.special.SpecialFamily;
import io.headrace.kernels.summary.SummaryFamily;
import io.headrace.kernels.table.TableFamily;
import io.headrace.kernels.text.TextFamily;
import io.headrace.kernels.variable.VariableFamily;
import io.headrace.kernels.variant.VariantFamily;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import io.headrace.runtime.time.SystemTicker;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.Stream;

/** Registers the ops of every kernel family. {@link java.util.ServiceLoader} finds this class. */
public final class CpuOps implements OpLibrary {
  @Override
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
            ProtobufFamily.ops(),
            RaggedFamily.ops(),
            RandomFamily.ops(entropy::nextLong),
            RegexFamily.ops(),
            ResourceFamily.ops(entropy::nextLong),
            SignalFamily.ops(),
            SparseFamily.ops(),
            SpecialFamily.ops(),
            SummaryFamily.ops(SystemTicker.INSTANCE, SystemTicker.INSTANCE),
            TableFamily.ops(),
            TextFamily.ops(),
            VariableFamily.ops(),
            VariantFamily.ops())
        .flatMap(List::stream)
        .toList();
  }
}
