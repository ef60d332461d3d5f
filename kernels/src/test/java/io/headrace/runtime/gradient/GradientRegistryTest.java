package io.headrace.runtime.gradient;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.kernels.CpuOps;
import io.headrace.runtime.op.Op;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The ops with gradients are those with gradients in stock TensorFlow, up to a list of exceptions.
 */
final class GradientRegistryTest {
  /**
   * Ops with a gradient in TensorFlow and none here: matrix ops, image resizing, special functions,
   * rows of sparse, ragged and listed tensors, loops and branches.
   */
  private static final Set<String> WITHOUT_GRADIENT =
      words(
          """
          BandedTriangularSolve BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0
          BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Betainc Case CheckNumericsV2 Cholesky
          Conv3DBackpropFilterV2 Conv3DBackpropInputV2 CropAndResize CumulativeLogsumexp Dawsn
          DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Digamma Dilation2D
          Eig Enter Erfinv Exit Expint ExtractImagePatches ExtractVolumePatches FFT2D FFT3D
          FresnelCos FresnelSin FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3 IFFT2D
          IFFT3D IRFFT IRFFT2D If Igamma Igammac ImageProjectiveTransformV2
          ImageProjectiveTransformV3 IsotonicRegression LogMatrixDeterminant LoopCond
          MatrixDeterminant MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2
          MatrixDiagV3 MatrixInverse MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixSolve
          MatrixSolveLs MatrixSquareRoot MatrixTriangularSolve Merge Ndtri NextAfter NextIteration
          NthElement Polygamma Qr QuantizeAndDequantizeV4Grad RFFT RFFT2D RGBToHSV
          RaggedFillEmptyRows RaggedGather RaggedRange RaggedTensorFromVariant RaggedTensorToSparse
          RaggedTensorToTensor RaggedTensorToVariant RefEnter RefExit RefMerge RefNextIteration
          RefSwitch ResizeBilinear ResizeNearestNeighbor SegmentMax SegmentMin SegmentProd
          SelfAdjointEigV2 SparseAdd SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul
          SparseFillEmptyRows SparseReduceSum SparseReorder SparseSlice SparseSoftmax
          SparseSparseMaximum SparseSparseMinimum SparseTensorDenseAdd SparseTensorDenseMatMul
          SparseToDense Spence StatelessCase StatelessIf StatelessParameterizedTruncatedNormal
          StatelessWhile Svd Switch TensorArrayConcatV2 TensorArrayConcatV3 TensorArrayGatherV3
          TensorArrayReadV3 TensorArrayScatterV3 TensorArraySplitV3 TensorArrayWriteV3
          TensorListConcat TensorListConcatV2 TensorListFromTensor TensorListGather
          TensorListGetItem TensorListPopBack TensorListPushBack TensorListResize TensorListScatter
          TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit
          TensorListStack TensorScatterMax TensorScatterMin TridiagonalMatMul TridiagonalSolve
          UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd While Zeta
          """);

  private static Set<String> words(String text) {
    return new TreeSet<>(Set.of(text.strip().split("\\s+", -1)));
  }

  @Test
  void ops_thatHaveAGradientInTensorFlow_haveOneHere() throws IOException {
    Set<String> lacking = new TreeSet<>(ours());
    lacking.retainAll(stocks());
    lacking.removeAll(Gradients.RULES.keySet());
    lacking.removeAll(NotDifferentiable.OPS);

    assertThat(lacking).isEqualTo(WITHOUT_GRADIENT);
  }

  @Test
  void gradients_areOfOpsThatHaveThemInTensorFlow() throws IOException {
    Set<String> known = new TreeSet<>(Gradients.RULES.keySet());
    known.addAll(NotDifferentiable.OPS);

    assertThat(known).isSubsetOf(stocks());
  }

  @Test
  void ops_areEitherDerivedOrNotDifferentiable() {
    assertThat(Gradients.RULES.keySet()).doesNotContainAnyElementsOf(NotDifferentiable.OPS);
  }

  private static Set<String> ours() {
    return new CpuOps().ops().stream().map(Op::name).collect(Collectors.toSet());
  }

  private static Set<String> stocks() throws IOException {
    try (var in = GradientRegistryTest.class.getResourceAsStream("registry.txt")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
      return text.lines().map(line -> line.split(" ", -1)[0]).collect(Collectors.toSet());
    }
  }
}
