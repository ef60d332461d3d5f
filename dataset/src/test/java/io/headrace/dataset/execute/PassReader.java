package io.headrace.dataset.execute;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Reads datasets in tests: in chunks of a given size, as text, a line for each element or error.
 */
final class PassReader {
  /** Runs background tasks; its threads end by themselves. */
  static final ExecutorService THREADS =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("pass-", 0).factory());

  private PassReader() {}

  /** A context with a stopped clock: chunks have the requested size. */
  static IteratorContext context() {
    return context(new Cancellation());
  }

  static IteratorContext context(Cancellation cancellation) {
    return new IteratorContext(
        StepContext.standalone().withCancellation(cancellation),
        () -> 0,
        new SplittableRandom(1),
        THREADS,
        4,
        1 << 20);
  }

  /** The first {@code most} lines of a pass, read in chunks of at most {@code maxRows} rows. */
  static List<String> lines(DatasetValue dataset, int maxRows, int most) {
    List<String> lines = new ArrayList<>();
    try (ChunkIterator iterator = dataset.iterator(context())) {
      while (lines.size() < most) {
        addNext(iterator, Math.min(maxRows, most - lines.size()), lines);
        if (lines.getLast().equals("end")) {
          return lines;
        }
      }
    }
    return lines;
  }

  /** Adds the lines of the next rows of {@code iterator}, or of its next error. */
  static void addNext(ChunkIterator iterator, int maxRows, List<String> lines) {
    try {
      Chunk chunk = iterator.next(maxRows);
      if (chunk == null) {
        lines.add("end");
        return;
      }
      if (chunk.rows() > maxRows) {
        throw new AssertionError(chunk.rows() + " rows where " + maxRows + " were asked for");
      }
      for (int row = 0; row < chunk.rows(); row++) {
        lines.add(line(chunk.row(row)));
      }
    } catch (StatusException e) {
      lines.add("error " + e.code());
    }
  }

  private static String line(List<Tensor> components) {
    StringJoiner line = new StringJoiner(" | ");
    components.forEach(component -> line.add(text(component)));
    return components.isEmpty() ? "()" : line.toString();
  }

  /** The format of record.py. */
  static String text(Tensor tensor) {
    StringJoiner text = new StringJoiner(" ");
    String shape = tensor.shape().toString();
    text.add(nameOf(tensor.dtype()) + shape);
    for (int i = 0; i < tensor.elements(); i++) {
      text.add(value(tensor, i));
    }
    return text.toString();
  }

  private static String nameOf(DataType dtype) {
    return switch (dtype) {
      case FLOAT32 -> "float32";
      case FLOAT64 -> "float64";
      case FLOAT16 -> "float16";
      default -> dtype.tfName();
    };
  }

  private static String value(Tensor tensor, int index) {
    int i = TensorMemory.offset(tensor) + index;
    return switch (TensorMemory.array(tensor)) {
      case byte[][] a -> "'" + HexFormat.of().formatHex(a[i]);
      case int[] a ->
          tensor.dtype().isUnsigned() ? Integer.toUnsignedString(a[i]) : String.valueOf(a[i]);
      case long[] a ->
          tensor.dtype().isUnsigned() ? Long.toUnsignedString(a[i]) : String.valueOf(a[i]);
      case byte[] a -> String.valueOf(tensor.dtype() == DataType.UINT8 ? a[i] & 0xff : a[i]);
      case short[] a ->
          tensor.dtype().isFloating()
              ? hex(4, a[i] & 0xffff)
              : String.valueOf(tensor.dtype() == DataType.UINT16 ? a[i] & 0xffff : a[i]);
      case float[] a -> hex(8, Float.floatToRawIntBits(a[i]) & 0xffffffffL);
      case double[] a -> hex(16, Double.doubleToRawLongBits(a[i]));
      default -> throw new AssertionError("no text for " + tensor);
    };
  }

  private static String hex(int digits, long bits) {
    return String.format(Locale.ROOT, "%0" + digits + "x", bits);
  }
}
