package io.headrace.kernels.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Eigenpairs of random matrices fulfil their equation. */
final class EigenpairsTest {
  private static final double EPSILON = Math.ulp(1.0);

  private final Cancellation stop = new Cancellation();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 13, 40})
  void of_realMatrices_areTheirEigenpairs(int n) {
    Random random = new Random(n);
    for (int i = 0; i < 20; i++) {
      double[] matrix = random.doubles((long) n * n, -1, 1).toArray();
      RealSchur schur = new RealSchur(n, matrix, EPSILON, true, stop);
      assertThat(schur.isConverged()).isTrue();
      check(matrix, new double[n * n], Eigenpairs.of(n, schur, EPSILON, stop));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 13, 40})
  void of_complexMatrices_areTheirEigenpairs_theSmallestFirst(int n) {
    Random random = new Random(n);
    for (int i = 0; i < 20; i++) {
      double[] re = random.doubles((long) n * n, -1, 1).toArray();
      double[] im = random.doubles((long) n * n, -1, 1).toArray();
      Eigenpairs pairs = Eigenpairs.of(n, new ComplexSchur(n, re, im, stop), EPSILON, stop);
      check(re, im, pairs);
      for (int k = 1; k < n; k++) {
        assertThat(Math.hypot(pairs.valuesRe()[k], pairs.valuesIm()[k]))
            .isGreaterThanOrEqualTo(Math.hypot(pairs.valuesRe()[k - 1], pairs.valuesIm()[k - 1]));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 8, 40})
  void valuesOf_realMatrices_areThoseOfTheEigenpairs(int n) {
    double[] matrix = new Random(n).doubles((long) n * n, -1, 1).toArray();
    RealSchur schur = new RealSchur(n, matrix, EPSILON, true, stop);
    RealSchur alone = new RealSchur(n, matrix, EPSILON, false, stop);
    checkSame(Eigenpairs.of(n, schur, EPSILON, stop), Eigenpairs.valuesOf(n, alone));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 8, 40})
  void valuesOf_complexMatrices_areThoseOfTheEigenpairs(int n) {
    double[] re = new Random(n).doubles((long) n * n, -1, 1).toArray();
    double[] im = new Random(n + 1).doubles((long) n * n, -1, 1).toArray();
    ComplexSchur schur = new ComplexSchur(n, re, im, stop);
    ComplexSchur alone = new ComplexSchur(n, re, im, false, stop);
    checkSame(Eigenpairs.of(n, schur, EPSILON, stop), Eigenpairs.valuesOf(n, alone, stop));
  }

  private static void checkSame(Eigenpairs pairs, Eigenpairs values) {
    assertThat(values.valuesRe()).isEqualTo(pairs.valuesRe());
    assertThat(values.valuesIm()).isEqualTo(pairs.valuesIm());
    assertThat(values.vectorsRe()).isEmpty();
    assertThat(values.vectorsIm()).isEmpty();
  }

  @Test
  @Timeout(10)
  void of_aLargeRealMatrix_isFoundInCubicTime() {
    int n = 400;
    double[] matrix = new Random(1).doubles((long) n * n, -1, 1).toArray();
    Eigenpairs pairs =
        Eigenpairs.of(n, new RealSchur(n, matrix, EPSILON, true, stop), EPSILON, stop);
    assertThat(Arrays.stream(pairs.valuesRe()).sum())
        .isCloseTo(IntStream.range(0, n).mapToDouble(i -> matrix[i * (n + 1)]).sum(), within(1e-9));
  }

  @Test
  void of_whenCancelled_stops() {
    RealSchur real = new RealSchur(2, new double[] {1, 2, 3, 4}, EPSILON, true, stop);
    ComplexSchur complex = new ComplexSchur(2, new double[] {1, 2, 3, 4}, stop);
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    assertThatThrownBy(() -> Eigenpairs.of(2, real, EPSILON, cancelled))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.CANCELLED);
    assertThatThrownBy(() -> Eigenpairs.of(2, complex, EPSILON, cancelled))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.CANCELLED);
  }

  private static void check(double[] re, double[] im, Eigenpairs pairs) {
    int n = pairs.valuesRe().length;
    double[] vRe = pairs.vectorsRe();
    double[] vIm = pairs.vectorsIm();
    for (int k = 0; k < n; k++) {
      double length = 0;
      for (int i = 0; i < n; i++) {
        double restRe = 0;
        double restIm = 0;
        for (int j = 0; j < n; j++) {
          double aRe = re[i * n + j] - (i == j ? pairs.valuesRe()[k] : 0);
          double aIm = im[i * n + j] - (i == j ? pairs.valuesIm()[k] : 0);
          restRe += aRe * vRe[j * n + k] - aIm * vIm[j * n + k];
          restIm += aRe * vIm[j * n + k] + aIm * vRe[j * n + k];
        }
        assertThat(Math.hypot(restRe, restIm)).isCloseTo(0, within(1e-12));
        length = Math.hypot(length, Math.hypot(vRe[i * n + k], vIm[i * n + k]));
      }
      assertThat(length).isCloseTo(1, within(1e-13));
    }
  }
}
