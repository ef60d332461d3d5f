package io.headrace.kernels.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * The script of each code point: ICU's number (UScriptCode), in the Unicode version of TensorFlow.
 * The table is a resource, {@code unicode-scripts.txt}: a line for each run of code points of one
 * script, with its first code point in hexadecimal and the script's number.
 */
final class UnicodeScripts {
  /** The result for a number that is not a code point. */
  private static final int INVALID = -1;

  private UnicodeScripts() {}

  /** The script of each element of {@code input}, an int32 tensor; int32 of the same shape. */
  static Tensor of(Tensor input) {
    int[] scripts = (int[]) TensorLimit.allocate(DataType.INT32, input.shape());
    for (int i = 0; i < scripts.length; i++) {
      scripts[i] = script((int) input.integer(i));
    }
    return Tensor.wrap(DataType.INT32, input.shape(), scripts);
  }

  private static int script(int codePoint) {
    if (!Character.isValidCodePoint(codePoint)) {
      return INVALID;
    }
    int found = Arrays.binarySearch(Table.STARTS, codePoint);
    return Table.SCRIPTS[found >= 0 ? found : -found - 2];
  }

  /** The table, read on first use. */
  private static final class Table {
    private static final int[] STARTS;
    private static final int[] SCRIPTS;

    static {
      String[] lines = text().split("\n", -1);
      String[] runs = Arrays.stream(lines).filter(l -> !l.isEmpty()).toArray(String[]::new);
      STARTS = new int[runs.length];
      SCRIPTS = new int[runs.length];
      for (int i = 0; i < runs.length; i++) {
        int space = runs[i].indexOf(' ');
        STARTS[i] = Integer.parseInt(runs[i].substring(0, space), 16);
        SCRIPTS[i] = Integer.parseInt(runs[i].substring(space + 1));
      }
    }

    private static String text() {
      InputStream resource = UnicodeScripts.class.getResourceAsStream("unicode-scripts.txt");
      try (InputStream in = Objects.requireNonNull(resource)) {
        return new String(in.readAllBytes(), US_ASCII);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
