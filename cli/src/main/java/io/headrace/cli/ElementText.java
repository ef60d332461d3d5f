package io.headrace.cli;

import io.headrace.dataset.Element;
import io.headrace.dataset.Structure;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorValueText;
import java.util.ArrayList;
import java.util.List;

/**
 * Formats an element as one line: tuples in parentheses, maps in braces, tensors in brackets,
 * strings in quotes. A tensor of more than {@code maxValues} values is cut with an ellipsis,
 * followed by its dtype and shape.
 *
 * @param maxValues the most values printed per tensor; negative for all
 */
record ElementText(int maxValues) {
  private static final String CUT = "...";

  /** Formats {@code element}. */
  String of(Element element) {
    return switch (element.structure()) {
      case Structure.Component _ -> of(element.tensor());
      case Structure.Tuple tuple -> {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < tuple.parts().size(); i++) {
          parts.add(of(element.get(i)));
        }
        yield "(" + String.join(", ", parts) + ")";
      }
      case Structure.Dict dict -> {
        List<String> parts = new ArrayList<>();
        for (String name : dict.parts().keySet()) {
          parts.add(name + ": " + of(element.get(name)));
        }
        yield "{" + String.join(", ", parts) + "}";
      }
      case Structure.Nested _ -> "<dataset>";
    };
  }

  /** Formats {@code tensor}. */
  String of(Tensor tensor) {
    return shown(tensor) == tensor.elements()
        ? values(tensor)
        : values(tensor) + " " + tensor.typeAndShape();
  }

  /** Formats the values of {@code tensor}, cut, without dtype and shape. */
  String values(Tensor tensor) {
    StringBuilder text = new StringBuilder();
    append(text, tensor, 0, 0, shown(tensor));
    return text.toString();
  }

  private int shown(Tensor tensor) {
    return maxValues < 0 ? tensor.elements() : Math.min(maxValues, tensor.elements());
  }

  /**
   * Appends the block of dimension {@code dim} that starts at value {@code first}, cut at {@code
   * end}.
   */
  private static void append(StringBuilder text, Tensor tensor, int dim, int first, int end) {
    Shape shape = tensor.shape();
    if (dim == shape.rank()) {
      text.append(first < end ? TensorValueText.text(tensor, first) : CUT);
      return;
    }
    int size = (int) shape.size(dim);
    int stride = size == 0 ? 0 : shape.dropFirst(dim + 1).elements();
    text.append('[');
    for (int i = 0; i < size; i++) {
      int at = first + i * stride;
      text.append(i == 0 ? "" : ", ");
      if (at >= end) {
        text.append(CUT);
        break;
      }
      append(text, tensor, dim + 1, at, end);
    }
    text.append(']');
  }
}
