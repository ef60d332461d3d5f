package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.data.UncompressedElement;
import io.headrace.proto.tensorflow.TensorProto;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;

/** The values of dumped tensors as numbers, for inexact comparisons. */
final class NumericComparison {
  private static final int SHOWN = 400;

  private NumericComparison() {}

  /** Decides whether an actual number is acceptable for the expected one. */
  @FunctionalInterface
  interface Agreement {
    boolean accepts(double expected, double actual);
  }

  /** Fails unless types and shapes are the same and {@code agreement} accepts every number. */
  static void check(
      List<UncompressedElement> expected, List<UncompressedElement> actual, Agreement agreement) {
    assertThat(actual).as("number of elements").hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      check("element " + i, expected.get(i), actual.get(i), agreement);
    }
  }

  static boolean isClose(double expected, double actual, double fraction) {
    double larger = Math.max(Math.abs(expected), Math.abs(actual));
    return expected == actual || Math.abs(expected - actual) <= fraction * larger;
  }

  /** The first components that differ, one line per side. */
  static String difference(UncompressedElement expected, UncompressedElement actual) {
    for (int i = 0; i < expected.getComponentsCount() && i < actual.getComponentsCount(); i++) {
      if (!expected.getComponents(i).equals(actual.getComponents(i))) {
        return "component %d\n  expected %s\n  but was  %s"
            .formatted(i, text(expected.getComponents(i)), text(actual.getComponents(i)));
      }
    }
    return "%d components expected, but there were %d"
        .formatted(expected.getComponentsCount(), actual.getComponentsCount());
  }

  private static void check(
      String what, UncompressedElement expected, UncompressedElement actual, Agreement agreement) {
    assertThat(actual.getComponentsCount()).as(what).isEqualTo(expected.getComponentsCount());
    for (int i = 0; i < expected.getComponentsCount(); i++) {
      TensorProto e = expected.getComponents(i);
      TensorProto a = actual.getComponents(i);
      assertThat(a.getDtype()).as(what).isEqualTo(e.getDtype());
      assertThat(a.getTensorShape()).as(what).isEqualTo(e.getTensorShape());
      double[] wanted = values(e);
      double[] got = values(a);
      for (int k = 0; k < wanted.length; k++) {
        if (!agreement.accepts(wanted[k], got[k])) {
          throw new AssertionError(what + " differs:\n" + difference(expected, actual));
        }
      }
    }
  }

  private static double[] values(TensorProto tensor) {
    ByteBuffer bytes =
        tensor.getTensorContent().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    return switch (tensor.getDtype()) {
      case DT_FLOAT -> read(bytes.remaining() / 4, i -> bytes.getFloat(4 * i));
      case DT_DOUBLE -> read(bytes.remaining() / 8, i -> bytes.getDouble(8 * i));
      case DT_INT32 -> read(bytes.remaining() / 4, i -> bytes.getInt(4 * i));
      case DT_INT64 -> read(bytes.remaining() / 8, i -> bytes.getLong(8 * i));
      case DT_UINT8, DT_BOOL -> read(bytes.remaining(), i -> bytes.get(i) & 0xff);
      default -> throw new AssertionError("no numbers to compare in " + tensor.getDtype());
    };
  }

  private static double[] read(int count, IntToDoubleFunction at) {
    double[] values = new double[count];
    Arrays.setAll(values, at);
    return values;
  }

  private static String text(TensorProto tensor) {
    String text = tensor.toString().replace('\n', ' ');
    return text.length() <= SHOWN
        ? text
        : String.format(Locale.ROOT, "%s... (%d bytes)", text.substring(0, SHOWN), text.length());
  }
}
