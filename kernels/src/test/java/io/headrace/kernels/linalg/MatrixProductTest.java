package io.headrace.kernels.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both implementations compute the product of the definition, up to the rounding of sums. */
final class MatrixProductTest {
  /** Elements before and after each matrix in its array, which products must leave alone. */
  private static final int MARGIN = 3;

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "3, 5, 4",
    "17, 130, 33",
    "1, 600, 520",
    "600, 1, 7",
    "330, 260, 256",
    "16, 512, 2100"
  })
  void add_byLoops_addsTheProduct(int m, int k, int n) {
    checkEach(JavaBlas.INSTANCE, m, k, n);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "3, 5, 4",
    "17, 130, 33",
    "1, 600, 520",
    "600, 1, 7",
    "330, 260, 256",
    "16, 512, 2100"
  })
  void add_byTheLibrary_addsTheProduct(int m, int k, int n) {
    Optional<Blas> library = NativeBlas.find();
    assumeTrue(library.isPresent(), "no BLAS is installed");
    checkEach(library.orElseThrow(), m, k, n);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "3, 5, 4", "17, 130, 33", "600, 1, 7", "330, 260, 256", "16, 512, 2100"})
  void add_byTheLibrary_isTheSameOnPinnedArraysAndOnCopies(int m, int k, int n) {
    Optional<Blas> pinned = NativeBlas.find(true);
    assumeTrue(pinned.isPresent(), "no BLAS is installed");
    Blas copied = NativeBlas.find(false).orElseThrow();
    checkEach(copied, m, k, n);
    for (ElementKind kind : new ElementKind[] {ElementKind.FLOAT, ElementKind.DOUBLE}) {
      for (int transposed = 0; transposed < 4; transposed++) {
        boolean left = (transposed & 1) != 0;
        boolean right = (transposed & 2) != 0;
        Object expected = product(pinned.orElseThrow(), kind, m, k, n, left, right);
        Object actual = product(copied, kind, m, k, n, left, right);
        // The library may add in another order where the alignment is another.
        double epsilon = kind == ElementKind.FLOAT ? 0x1p-23 : 0x1p-52;
        for (int i = -MARGIN; i < m * n + MARGIN; i++) {
          double difference = Math.abs(at(actual, i) - at(expected, i));
          if (!(difference <= epsilon * (k + 1) * (k + 1))) {
            fail("element %d is %s instead of %s", i, at(actual, i), at(expected, i));
          }
        }
      }
    }
  }

  /** Parts of a result that several threads write side by side do not overwrite each other. */
  @Test
  void add_copiesOfColumnsSideBySide_keepToTheirColumns() {
    Optional<Blas> library = NativeBlas.find(false);
    assumeTrue(library.isPresent(), "no BLAS is installed");
    float[] c = {1, 2, 3, 4, 5, 6};
    Blas.Matrix a = new Blas.Matrix(new float[] {10, 20}, 0, 1, false);
    Blas.Matrix b = new Blas.Matrix(new float[] {1}, 0, 1, false);

    library.orElseThrow().add(a, b, new Blas.Matrix(c, 1, 3, false), 2, 1, 1, new Cancellation());

    assertThat(c).containsExactly(1, 12, 3, 4, 25, 6);
  }

  /** The array that holds the sum of a matrix and a product, made by {@code blas}. */
  private static Object product(
      Blas blas,
      ElementKind kind,
      int m,
      int k,
      int n,
      boolean transposeLeft,
      boolean transposeRight) {
    Random random = new Random(11);
    Object a = array(kind, numbers(m * k, random));
    Object b = array(kind, numbers(k * n, random));
    Object c = array(kind, numbers(m * n, random));
    MatrixProduct product = new MatrixProduct(m, k, n, new Cancellation());
    if (transposeLeft) {
      product.transposeLeft();
    }
    if (transposeRight) {
      product.transposeRight();
    }
    product.add(blas, kind, a, MARGIN, b, MARGIN, c, MARGIN);
    return c;
  }

  private static void checkEach(Blas blas, int m, int k, int n) {
    if ((long) m * k * n > 1 << 20) { // the split of large products does not depend on the layout
      check(blas, ElementKind.FLOAT, m, k, n, true, true);
      return;
    }
    for (ElementKind kind : new ElementKind[] {ElementKind.FLOAT, ElementKind.DOUBLE}) {
      for (int transposed = 0; transposed < 4; transposed++) {
        check(blas, kind, m, k, n, (transposed & 1) != 0, (transposed & 2) != 0);
      }
    }
  }

  private static void check(
      Blas blas,
      ElementKind kind,
      int m,
      int k,
      int n,
      boolean transposeLeft,
      boolean transposeRight) {
    Random random = new Random(7);
    double[] a = numbers(m * k, random);
    double[] b = numbers(k * n, random);
    double[] c = numbers(m * n, random);
    Object result = array(kind, c);
    MatrixProduct product = new MatrixProduct(m, k, n, new Cancellation());
    if (transposeLeft) {
      product.transposeLeft();
    }
    if (transposeRight) {
      product.transposeRight();
    }
    product.add(blas, kind, array(kind, a), MARGIN, array(kind, b), MARGIN, result, MARGIN);

    double epsilon = kind == ElementKind.FLOAT ? 0x1p-23 : 0x1p-52;
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        double sum = c[i * n + j];
        double size = Math.abs(sum);
        for (int l = 0; l < k; l++) {
          double term =
              a[transposeLeft ? l * m + i : i * k + l] * b[transposeRight ? j * k + l : l * n + j];
          sum += term;
          size += Math.abs(term);
        }
        double difference = Math.abs(at(result, i * n + j) - sum);
        if (!(difference <= size * epsilon * (k + 1))) {
          fail("element (%d, %d) is %s instead of %s", i, j, at(result, i * n + j), sum);
        }
      }
    }
    for (int i = 1; i <= MARGIN; i++) {
      assertThat(at(result, -i)).isZero();
      assertThat(at(result, m * n + i - 1)).isZero();
    }
  }

  /** Random doubles that a float represents exactly. */
  private static double[] numbers(int count, Random random) {
    return random.doubles(count, -1, 1).map(x -> (float) x).toArray();
  }

  private static Object array(ElementKind kind, double[] values) {
    Object array = kind.newArray(values.length + 2 * MARGIN);
    for (int i = 0; i < values.length; i++) {
      if (array instanceof float[] floats) {
        floats[MARGIN + i] = (float) values[i];
      } else {
        ((double[]) array)[MARGIN + i] = values[i];
      }
    }
    return array;
  }

  private static double at(Object array, int index) {
    return array instanceof float[] floats
        ? floats[MARGIN + index]
        : ((double[]) array)[MARGIN + index];
  }
}
