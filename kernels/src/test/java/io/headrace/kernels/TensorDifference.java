package io.headrace.kernels;

import static io.headrace.runtime.tensor.DataType.BFLOAT16;
import static io.headrace.runtime.tensor.DataType.FLOAT16;

import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Float8;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Compares tensors and describes their first difference. NaNs are equal. Floats may differ within a
 * tolerance; everything else must be equal bit for bit, including the sign of zero.
 *
 * @param ulps tolerance of floats, in units in the last place; of the parts of a complex number, in
 *     those of its magnitude
 * @param atol absolute tolerance of floats, sufficient instead of {@code ulps}
 */
record TensorDifference(double ulps, double atol) {
  static final TensorDifference EXACT = new TensorDifference(0, 0);

  /** The first difference of the lists; empty if they are equal. */
  Optional<String> between(List<Tensor> expected, List<Tensor> actual) {
    if (expected.size() != actual.size()) {
      return Optional.of(actual.size() + " tensors instead of " + expected.size());
    }
    for (int i = 0; i < expected.size(); i++) {
      Optional<String> difference = between(expected.get(i), actual.get(i));
      if (difference.isPresent()) {
        return Optional.of("output " + i + ": " + difference.get());
      }
    }
    return Optional.empty();
  }

  /** The first difference of the tensors; empty if they are equal. */
  Optional<String> between(Tensor expected, Tensor actual) {
    if (!expected.typeAndShape().equals(actual.typeAndShape())) {
      return Optional.of(actual.typeAndShape() + " instead of " + expected.typeAndShape());
    }
    int slots = expected.elements() * expected.dtype().kind().slots();
    Object a = TensorMemory.array(expected.compact());
    Object b = TensorMemory.array(actual.compact());
    for (int i = 0; i < slots; i++) {
      if (!same(expected.dtype(), a, b, i)) {
        return Optional.of(
            "element %d of %s is %s instead of %s"
                .formatted(
                    i,
                    expected.typeAndShape(),
                    text(actual.dtype(), b, i),
                    text(actual.dtype(), a, i)));
      }
    }
    return Optional.empty();
  }

  private boolean same(DataType dtype, Object expected, Object actual, int i) {
    if (dtype == FLOAT16 || dtype == BFLOAT16) {
      return sameHalf(dtype, ((short[]) expected)[i], ((short[]) actual)[i]);
    }
    if (dtype.isFloat8()) {
      byte a = ((byte[]) expected)[i];
      byte b = ((byte[]) actual)[i];
      return a == b || (isNan(dtype, a) && isNan(dtype, b));
    }
    if (dtype.isComplex() && ulps > 0 && nearMagnitude(expected, actual, i)) {
      return true;
    }
    return switch (expected) {
      case byte[] a -> a[i] == ((byte[]) actual)[i];
      case short[] a -> a[i] == ((short[]) actual)[i];
      case int[] a -> a[i] == ((int[]) actual)[i];
      case long[] a -> a[i] == ((long[]) actual)[i];
      case float[] a -> sameFloat(a[i], ((float[]) actual)[i]);
      case double[] a -> sameDouble(a[i], ((double[]) actual)[i]);
      case byte[][] a -> Arrays.equals(a[i], ((byte[][]) actual)[i]);
      case Object[] a -> sameReference(a[i], ((Object[]) actual)[i]);
      default -> throw new AssertionError(expected.getClass());
    };
  }

  /** Whether part {@code i} is within the tolerance of its complex number's magnitude. */
  private boolean nearMagnitude(Object expected, Object actual, int i) {
    return switch (expected) {
      case float[] a -> {
        float unit = Math.ulp((float) Math.hypot(a[i & ~1], a[i | 1]));
        yield Math.abs(a[i] - ((float[]) actual)[i]) <= ulps * unit;
      }
      case double[] a -> {
        double unit = Math.ulp(Math.hypot(a[i & ~1], a[i | 1]));
        yield Math.abs(a[i] - ((double[]) actual)[i]) <= ulps * unit;
      }
      default -> throw new AssertionError(expected.getClass());
    };
  }

  private boolean sameFloat(float a, float b) {
    if (Float.isNaN(a) || Float.isNaN(b)) {
      return Float.isNaN(a) == Float.isNaN(b);
    }
    long x = ordered(Float.floatToIntBits(a));
    return Math.abs(x - ordered(Float.floatToIntBits(b))) <= ulps || near(a, b);
  }

  private static int ordered(int bits) {
    return bits >= 0 ? bits : Integer.MIN_VALUE - bits - 1;
  }

  private boolean sameDouble(double a, double b) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Double.isNaN(a) == Double.isNaN(b);
    }
    long x = Double.doubleToLongBits(a);
    long y = Double.doubleToLongBits(b);
    return x == y || near(a, b) || (ulps > 0 && Math.abs(a - b) <= ulps * Math.ulp(a));
  }

  private boolean sameHalf(DataType dtype, short a, short b) {
    float x = dtype == FLOAT16 ? Float.float16ToFloat(a) : Float.intBitsToFloat(a << 16);
    float y = dtype == FLOAT16 ? Float.float16ToFloat(b) : Float.intBitsToFloat(b << 16);
    if (Float.isNaN(x) || Float.isNaN(y)) {
      return Float.isNaN(x) == Float.isNaN(y);
    }
    int distance = Math.abs(orderedHalf(a) - orderedHalf(b));
    return a == b || near(x, y) || (ulps > 0 && distance <= ulps);
  }

  private static boolean isNan(DataType dtype, byte bits) {
    return Float.isNaN(Float8.value(dtype, bits));
  }

  private static int orderedHalf(short bits) {
    return bits >= 0 ? bits : Short.MIN_VALUE - bits - 1;
  }

  private boolean near(double a, double b) {
    return atol > 0 && Math.abs(a - b) <= atol;
  }

  private boolean sameReference(Object expected, Object actual) {
    if (!(expected instanceof Variant a && actual instanceof Variant b)) {
      return expected.equals(actual);
    }
    VariantTensorDataProto x = a.encode();
    VariantTensorDataProto y = b.encode();
    return x.getTypeName().equals(y.getTypeName())
        && x.getMetadata().equals(y.getMetadata())
        && between(tensors(x.getTensorsList()), tensors(y.getTensorsList())).isEmpty();
  }

  private static List<Tensor> tensors(List<TensorProto> protos) {
    return protos.stream().map(TensorProtos::read).toList();
  }

  private static String text(DataType dtype, Object array, int i) {
    return switch (array) {
      case byte[] a when dtype.isFloat8() -> Float.toString(Float8.value(dtype, a[i]));
      case byte[] a -> Integer.toString(a[i]);
      case short[] a ->
          dtype == FLOAT16
              ? Float.toString(Float.float16ToFloat(a[i]))
              : dtype == BFLOAT16
                  ? Float.toString(Float.intBitsToFloat(a[i] << 16))
                  : Short.toString(a[i]);
      case int[] a -> Integer.toString(a[i]);
      case long[] a -> Long.toString(a[i]);
      case float[] a -> Float.toString(a[i]);
      case double[] a -> Double.toString(a[i]);
      case byte[][] a -> Arrays.toString(a[i]);
      case Object[] a -> a[i] instanceof Variant v ? v.encode().toString() : a[i].toString();
      default -> throw new AssertionError(array.getClass());
    };
  }
}
