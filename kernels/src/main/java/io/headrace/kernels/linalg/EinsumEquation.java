package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An equation of Einsum: a label for each axis of the inputs and of the output. One label may be an
 * ellipsis ("..."), which stands for any number of axes, and these broadcast.
 */
final class EinsumEquation {
  /** The label of the ellipsis. */
  private static final int ELLIPSIS = -1;

  /** The label of the first axis that an ellipsis stands for, above all characters. */
  private static final int FIRST_BROADCAST = 1 << 16;

  private final String text;

  /** The labels of one or two inputs. */
  private final List<int[]> inputs;

  private final int[] output;

  private EinsumEquation(String text, List<int[]> inputs, int[] output) {
    this.text = text;
    this.inputs = inputs;
    this.output = output;
  }

  static EinsumEquation parse(String text) {
    String[] sides = text.split("->", -1);
    if (sides.length != 2) {
      throw invalidArgument("Expecting exactly one '->' in einsum equation: %s", text);
    }
    String[] inputs = sides[0].split(",", -1);
    if (inputs.length > 2) {
      throw invalidArgument(
          "Expecting 1 or 2 input subscripts in equation '%s' but got: %d", text, inputs.length);
    }
    return new EinsumEquation(
        text, Arrays.stream(inputs).map(EinsumEquation::labels).toList(), labels(sides[1]));
  }

  private static int[] labels(String subscripts) {
    return subscripts.replace("...", ".").chars().map(c -> c == '.' ? ELLIPSIS : c).toArray();
  }

  static boolean isBroadcast(int label) {
    return label >= FIRST_BROADCAST;
  }

  /** The index of the ellipsis in {@code labels}; -1 if it has none. */
  private static int ellipsisIndex(int[] labels) {
    for (int i = 0; i < labels.length; i++) {
      if (labels[i] == ELLIPSIS) {
        return i;
      }
    }
    return -1;
  }

  /** INVALID_ARGUMENT unless the equation has {@code count} inputs. */
  void checkCount(int count) {
    if (inputs.size() != count) {
      throw invalidArgument(
          "Expected %d inputs for equation %s but got: %d", inputs.size(), text, count);
    }
  }

  /** The number of labels of input {@code input}, counting an ellipsis as one. */
  int labelCount(int input) {
    return inputs.get(input).length;
  }

  /** Whether the subscripts of input {@code input} have an ellipsis. */
  boolean hasEllipsis(int input) {
    return ellipsisIndex(inputs.get(input)) >= 0;
  }

  boolean outputHasEllipsis() {
    return ellipsisIndex(output) >= 0;
  }

  /** The number of axes that the ellipsis of input {@code input} stands for in {@code shape}. */
  private int broadcastRank(int input, Shape shape) {
    return hasEllipsis(input) ? shape.rank() - inputs.get(input).length + 1 : 0;
  }

  /** The number of axes that the output's ellipsis stands for: the most of any input. */
  int broadcastRank(List<Shape> shapes) {
    int rank = 0;
    for (int i = 0; i < shapes.size(); i++) {
      rank = Math.max(rank, broadcastRank(i, shapes.get(i)));
    }
    if (rank > 0 && !outputHasEllipsis()) {
      throw invalidArgument(
          "Output contains %d broadcasting dimension(s) but no ellipsis (...) was found in the"
              + " output subscripts.",
          rank);
    }
    return rank;
  }

  /**
   * A label for each axis of input {@code input}, whose shape is {@code shape}, if the output's
   * ellipsis stands for {@code broadcastRank} axes. INVALID_ARGUMENT if the rank does not fit.
   */
  int[] axes(int input, Shape shape, int broadcastRank) {
    int[] labels = inputs.get(input);
    if (!hasEllipsis(input) && shape.rank() != labels.length) {
      throw invalidArgument(
          "Expected input %d to have rank %d but got: %d", input, labels.length, shape.rank());
    }
    return expand(labels, broadcastRank(input, shape), broadcastRank);
  }

  /** INVALID_ARGUMENT if {@code shape} has too few axes for input {@code input}. */
  void checkRank(int input, Shape shape) {
    int named = inputs.get(input).length - 1;
    if (hasEllipsis(input) && shape.rank() < named) {
      throw invalidArgument(
          "Expected input %d to have rank at least %d but got: %d", input, named, shape.rank());
    }
  }

  /** A label for each axis of the output. */
  int[] outputAxes(int broadcastRank) {
    return expand(output, broadcastRank, broadcastRank);
  }

  private static int[] expand(int[] labels, int ellipsisRank, int broadcastRank) {
    List<Integer> axes = new ArrayList<>();
    for (int label : labels) {
      if (label != ELLIPSIS) {
        axes.add(label);
        continue;
      }
      for (int i = 0; i < ellipsisRank; i++) {
        axes.add(FIRST_BROADCAST + broadcastRank - ellipsisRank + i);
      }
    }
    return axes.stream().mapToInt(Integer::intValue).toArray();
  }
}
