package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;

/**
 * The eigenvalues and eigenvectors of a square matrix, from its Schur decomposition: of real
 * numbers, in the order of the decomposition; of complex ones, by magnitude. Vectors are columns of
 * length 1.
 */
final class Eigenpairs {
  /** The parts of the eigenvalues. */
  private final double[] valuesRe;

  private final double[] valuesIm;

  /** The parts of the eigenvectors, row-major; empty without vectors. */
  private final double[] vectorsRe;

  private final double[] vectorsIm;

  private Eigenpairs(double[] valuesRe, double[] valuesIm, double[] vectorsRe, double[] vectorsIm) {
    this.valuesRe = valuesRe;
    this.valuesIm = valuesIm;
    this.vectorsRe = vectorsRe;
    this.vectorsIm = vectorsIm;
  }

  /** The real parts of the eigenvalues. */
  double[] valuesRe() {
    return valuesRe;
  }

  /** The imaginary parts of the eigenvalues. */
  double[] valuesIm() {
    return valuesIm;
  }

  /** The real parts of the eigenvectors, row-major; empty without vectors. */
  double[] vectorsRe() {
    return vectorsRe;
  }

  /** The imaginary parts of the eigenvectors, row-major; empty without vectors. */
  double[] vectorsIm() {
    return vectorsIm;
  }

  /** The eigenvalues alone of a matrix of complex numbers, from its decomposition. */
  static Eigenpairs valuesOf(int n, ComplexSchur schur, Cancellation stop) {
    Eigenpairs pairs = of(n, schur, new double[0], new double[0]);
    pairs.sort(stop);
    return pairs;
  }

  /** The eigenpairs of a matrix of complex numbers, from its decomposition. */
  static Eigenpairs of(int n, ComplexSchur schur, double epsilon, Cancellation stop) {
    double[][] basis = triangular(n, schur.real(), schur.imaginary(), epsilon, stop);
    double[][] vectors = schur.transformed(basis[0], basis[1]);
    Eigenpairs pairs = of(n, schur, vectors[0], vectors[1]);
    pairs.normalize(stop);
    pairs.sort(stop);
    return pairs;
  }

  /** The eigenvalues on the diagonal, with the given vectors. */
  private static Eigenpairs of(int n, ComplexSchur schur, double[] vectorsRe, double[] vectorsIm) {
    double[] re = new double[n];
    double[] im = new double[n];
    for (int k = 0; k < n; k++) {
      re[k] = schur.real()[k * (n + 1)];
      im[k] = schur.imaginary()[k * (n + 1)];
    }
    return new Eigenpairs(re, im, vectorsRe, vectorsIm);
  }

  /** The eigenvectors of an upper triangular matrix, with 1 on the diagonal. */
  private static double[][] triangular(
      int n, double[] re, double[] im, double epsilon, Cancellation stop) {
    double norm = 0;
    for (int i = 0; i < n * n; i++) {
      norm = Math.hypot(norm, Math.hypot(re[i], im[i]));
    }
    norm = Math.max(norm, Double.MIN_NORMAL);
    double[] xRe = new double[n * n];
    double[] xIm = new double[n * n];
    for (int k = 0; k < n; k++) {
      stop.check();
      xRe[k * n + k] = 1;
      for (int i = k - 1; i >= 0; i--) {
        double[] rest = product(n, re, im, xRe, xIm, i, k, i + 1);
        double zRe = re[i * (n + 1)] - re[k * (n + 1)];
        double zIm = im[i * (n + 1)] - im[k * (n + 1)];
        double[] x =
            zRe == 0 && zIm == 0
                ? quotient(-rest[0], -rest[1], epsilon * norm, 0)
                : quotient(-rest[0], -rest[1], zRe, zIm);
        xRe[i * n + k] = x[0];
        xIm[i * n + k] = x[1];
      }
    }
    return new double[][] {xRe, xIm};
  }

  /** Row {@code i} of a matrix, from column {@code from} on, times the vector in column k. */
  private static double[] product(
      int n, double[] re, double[] im, double[] xRe, double[] xIm, int i, int k, int from) {
    double sumRe = 0;
    double sumIm = 0;
    for (int j = from; j <= k; j++) {
      double aRe = re[i * n + j];
      double aIm = im[i * n + j];
      sumRe += aRe * xRe[j * n + k] - aIm * xIm[j * n + k];
      sumIm += aRe * xIm[j * n + k] + aIm * xRe[j * n + k];
    }
    return new double[] {sumRe, sumIm};
  }

  /** The same, of a matrix of real numbers. */
  private static double[] product(
      int n, double[] matrix, double[] xRe, double[] xIm, int i, int k, int from) {
    double sumRe = 0;
    double sumIm = 0;
    for (int j = from; j <= k; j++) {
      sumRe += matrix[i * n + j] * xRe[j * n + k];
      sumIm += matrix[i * n + j] * xIm[j * n + k];
    }
    return new double[] {sumRe, sumIm};
  }

  private static double[] quotient(double aRe, double aIm, double bRe, double bIm) {
    double scale = Math.max(Math.abs(bRe), Math.abs(bIm));
    double cRe = bRe / scale;
    double cIm = bIm / scale;
    double square = cRe * cRe + cIm * cIm;
    return new double[] {
      (aRe * cRe + aIm * cIm) / square / scale, (aIm * cRe - aRe * cIm) / square / scale
    };
  }

  /** The eigenvalues alone of a matrix of real numbers, from its decomposition. */
  static Eigenpairs valuesOf(int n, RealSchur schur) {
    return of(n, schur, 0);
  }

  /**
   * The eigenvalues of the blocks on the diagonal, with room for {@code size} numbers of vectors.
   */
  private static Eigenpairs of(int n, RealSchur schur, int size) {
    double[] t = schur.triangle();
    Eigenpairs pairs =
        new Eigenpairs(new double[n], new double[n], new double[size], new double[size]);
    for (int i = 0; i < n; ) {
      if (i == n - 1 || t[(i + 1) * n + i] == 0) {
        pairs.valuesRe[i] = t[i * (n + 1)];
        i++;
      } else {
        pairs.setConjugates(n, t, i);
        i += 2;
      }
    }
    return pairs;
  }

  /** The eigenpairs of a matrix of real numbers, from its decomposition. */
  static Eigenpairs of(int n, RealSchur schur, double epsilon, Cancellation stop) {
    double[] t = schur.triangle();
    Eigenpairs pairs = of(n, schur, n * n);
    double norm = 0;
    for (double x : t) {
      norm += Math.abs(x);
    }
    double[] xRe = new double[n * n];
    double[] xIm = new double[n * n];
    for (int k = 0; k < n; k++) {
      stop.check();
      if (pairs.valuesIm[k] == 0) {
        xRe[k * n + k] = 1;
        pairs.substitute(n, t, xRe, xIm, k, norm == 0 ? -1 : k - 1, epsilon * norm);
      } else if (pairs.valuesIm[k] < 0) {
        pairs.startOfPair(n, t, xRe, xIm, k);
        pairs.substitute(n, t, xRe, xIm, k, k - 2, epsilon * norm);
      }
    }
    pairs.setVectors(n, schur.vectors(), xRe, xIm, stop);
    pairs.normalize(stop);
    return pairs;
  }

  /** Sets the conjugate eigenvalues of the block of rows {@code i} and the next. */
  private void setConjugates(int n, double[] t, int i) {
    double below = t[(i + 1) * n + i];
    double above = t[i * n + i + 1];
    double half = (t[i * (n + 1)] - t[(i + 1) * (n + 1)]) / 2;
    double scale = Math.max(Math.abs(half), Math.max(Math.abs(below), Math.abs(above)));
    double square = half / scale * (half / scale) + below / scale * (above / scale);
    double root = scale * Math.sqrt(Math.abs(square));
    valuesRe[i] = t[(i + 1) * (n + 1)] + half;
    valuesRe[i + 1] = valuesRe[i];
    valuesIm[i] = root;
    valuesIm[i + 1] = -root;
  }

  /** The last two components, in column {@code k}, of the vector of the eigenvalue before k's. */
  private void startOfPair(int n, double[] t, double[] xRe, double[] xIm, int k) {
    int before = k - 1;
    double below = t[k * n + before];
    double above = t[before * n + k];
    double[] x;
    if (Math.abs(below) > Math.abs(above)) {
      x = new double[] {valuesIm[k] / below, (valuesRe[k] - t[k * n + k]) / below};
    } else {
      x = quotient(0, -above, t[before * (n + 1)] - valuesRe[k], valuesIm[k]);
    }
    xRe[before * n + k] = x[0];
    xIm[before * n + k] = x[1];
    xIm[k * n + k] = 1;
  }

  /** Components from row {@code last} up of the vector in column {@code k}. */
  private void substitute(
      int n, double[] t, double[] xRe, double[] xIm, int k, int last, double least) {
    double re = valuesRe[k];
    double im = -valuesIm[k];
    for (int i = last; i >= 0; ) {
      double[] rest = product(n, t, xRe, xIm, i, k, i + 1);
      double dRe = t[i * (n + 1)] - re;
      if (valuesIm[i] == 0) {
        boolean isEqual = dRe == 0 && im == 0;
        double[] x = quotient(-rest[0], -rest[1], isEqual ? least : dRe, -im);
        xRe[i * n + k] = x[0];
        xIm[i * n + k] = x[1];
        i--;
        continue;
      }
      // Rows i - 1 and i are a block: (a - z) x + b y = -p, c x + (d - z) y = -q.
      double[] above = product(n, t, xRe, xIm, i - 1, k, i + 1);
      double b = t[(i - 1) * n + i];
      double c = t[i * n + i - 1];
      double aRe = t[(i - 1) * (n + 1)] - re;
      double determinantRe = aRe * dRe - im * im - b * c;
      double determinantIm = -im * (aRe + dRe);
      if (determinantRe == 0 && determinantIm == 0) {
        determinantRe =
            least * (Math.abs(dRe) + Math.abs(im) + Math.abs(b) + Math.abs(c) + Math.abs(aRe));
      }
      double[] x =
          quotient(
              -above[0] * dRe - above[1] * im + b * rest[0],
              -above[1] * dRe + above[0] * im + b * rest[1],
              determinantRe,
              determinantIm);
      double[] y =
          quotient(
              -rest[0] * aRe - rest[1] * im + c * above[0],
              -rest[1] * aRe + rest[0] * im + c * above[1],
              determinantRe,
              determinantIm);
      xRe[(i - 1) * n + k] = x[0];
      xIm[(i - 1) * n + k] = x[1];
      xRe[i * n + k] = y[0];
      xIm[i * n + k] = y[1];
      i -= 2;
    }
  }

  /** Sets the vectors to U x; those of a pair are conjugate. */
  private void setVectors(int n, double[] u, double[] xRe, double[] xIm, Cancellation stop) {
    for (int i = 0; i < n; i++) {
      stop.check();
      for (int j = 0; j < n; j++) {
        double factor = u[i * n + j];
        for (int k = j; k < n; k++) {
          vectorsRe[i * n + k] += factor * xRe[j * n + k];
          vectorsIm[i * n + k] += factor * xIm[j * n + k];
        }
      }
      for (int k = 1; k < n; k++) {
        if (valuesIm[k] < 0) {
          vectorsRe[i * n + k - 1] = vectorsRe[i * n + k];
          vectorsIm[i * n + k - 1] = vectorsIm[i * n + k];
          vectorsIm[i * n + k] = -vectorsIm[i * n + k];
        }
      }
    }
  }

  private void normalize(Cancellation stop) {
    int n = valuesRe.length;
    for (int k = 0; k < n; k++) {
      stop.check();
      double length = 0;
      for (int i = 0; i < n; i++) {
        length = Math.hypot(length, Math.hypot(vectorsRe[i * n + k], vectorsIm[i * n + k]));
      }
      for (int i = 0; i < n && length > 0; i++) {
        vectorsRe[i * n + k] /= length;
        vectorsIm[i * n + k] /= length;
      }
    }
  }

  /** Sorts the pairs by the magnitude of their eigenvalues, by selection. */
  private void sort(Cancellation stop) {
    int n = valuesRe.length;
    for (int k = 0; k < n; k++) {
      stop.check();
      int least = k;
      for (int j = k + 1; j < n; j++) {
        if (Math.hypot(valuesRe[j], valuesIm[j]) < Math.hypot(valuesRe[least], valuesIm[least])) {
          least = j;
        }
      }
      swap(valuesRe, k, least);
      swap(valuesIm, k, least);
      for (int i = 0; i < n && vectorsRe.length > 0; i++) {
        swap(vectorsRe, i * n + k, i * n + least);
        swap(vectorsIm, i * n + k, i * n + least);
      }
    }
  }

  private static void swap(double[] array, int i, int j) {
    double kept = array[i];
    array[i] = array[j];
    array[j] = kept;
  }
}
