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
            AddNOps.ops(),
            ArgOps.OPS,
            ArithmeticOps.OPS,
            AudioOps.ops(),
            BatchNormOps.ops(),
            BatchSpaceOps.ops(),
            BiasOps.ops(),
            BinomialOps.ops(),
            AsStringOps.ops(),
            CsvOps.ops(),
            RawOps.ops(),
            SerializationOps.ops(),
            CandidateOps.ops(entropy::nextLong),
            CastOps.OPS,
            CheckpointOps.ops(),
            ColorOps.ops(),
            CompareOps.OPS,
            ComplexOps.ops(),
            CompressionOps.ops(),
            ControlFlowOps.OPS,
            ConvOps.ops(),
            CropAndResizeOps.ops(),
            CrossEntropyOps.ops(),
            CrossOps.ops(),
            DecompositionOps.ops(),
            DepthwiseOps.ops(),
            DistortedBoxOps.ops(entropy::nextLong),
            EinsumOps.ops(),
            ExampleOps.ops(),
            FakeQuantOps.ops(),
            FileOps.ops(),
            FlowOps.ops(),
            GammaOps.ops(entropy::nextLong),
            GeneratorOps.ops(),
            FourierOps.ops(),
            GradientOps.OPS,
            GradientShapeOps.ops(),
            HashOps.ops(),
            ImageDecodeOps.ops(),
            ImageEncodeOps.ops(),
            InTopKOps.ops(),
            JoinOps.ops(),
            LinearAlgebraOps.ops(),
            LogicOps.OPS,
            MatMulOps.ops(),
            MathOps.OPS,
            NonMaxSuppressionOps.ops(),
            NumberTextOps.ops(),
            PatchOps.ops(),
            PoissonOps.ops(entropy::nextLong),
            PoolOps.ops(),
            PrintOps.ops(),
            QueueOps.ops(entropy::nextLong),
            ProjectiveTransformOps.ops(),
            MovementOps.ops(),
            OptimizerOps.ops(),
            MultinomialOps.ops(entropy::nextLong),
            ChoosingOps.ops(),
            SequenceExampleOps.ops(),
            SliceFileOps.ops(),
            RaggedOps.ops(),
            RandomOps.ops(entropy::nextLong),
            ReductionOps.OPS,
            ReferenceOps.ops(),
            RegexOps.ops(),
            ScanOps.OPS,
            ResizeOps.ops(),
            ResponseOps.ops(),
            ResizeSmoothOps.ops(),
            ScaleAndTranslateOps.ops(),
            SelectOps.OPS,
            SparseOps.ops(),
            SparseSegmentOps.ops(),
            SoftmaxOps.ops(),
            SplitOps.ops(),
            StackOps.ops(),
            StringOps.ops(),
            SubstringOps.ops(),
            SummaryOps.ops(),
            SummaryWriterOps.ops(SystemTicker.INSTANCE, SystemTicker.INSTANCE),
            TableOps.ops(),
            TensorArrayOps.ops(),
            TensorListJoinOps.ops(),
            TensorListOps.ops(),
            TextOps.ops(),
            UnaryRules.ops(),
            VariableOps.ops(),
            VariableScatterOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
