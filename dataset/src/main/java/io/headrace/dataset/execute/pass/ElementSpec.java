package io.headrace.dataset.execute.pass;

import com.google.errorprone.annotations.FormatMethod;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The declared dtypes and shapes of a dataset's components.
 *
 * @param node the dataset's node and op, as errors name them
 * @param types the dtype of each component
 * @param shapes the static shape of each component
 */
public record ElementSpec(String node, List<DataType> types, List<Shape> shapes) {
  public ElementSpec {
    types = List.copyOf(types);
    shapes = List.copyOf(shapes);
  }

  public static ElementSpec of(String node, DataType type, Shape shape) {
    return new ElementSpec(node, List.of(type), List.of(shape));
  }

  /** An error with {@code code} that names the node: an element of the dataset cannot be made. */
  @FormatMethod
  public StatusException error(StatusCode code, String format, Object... arguments) {
    return StatusException.of(code, format, arguments).in(node);
  }

  /** The names of {@code types}, for messages: {@code int64, string}. */
  public static String names(List<DataType> types) {
    return types.stream().map(DataType::tfName).collect(Collectors.joining(", "));
  }

  /** The most specific shapes compatible with both lists. */
  public static List<Shape> common(List<Shape> a, List<Shape> b) {
    List<Shape> result = new ArrayList<>(a.size());
    for (int i = 0; i < a.size(); i++) {
      result.add(common(a.get(i), b.get(i)));
    }
    return result;
  }

  private static Shape common(Shape a, Shape b) {
    if (a.isUnknownRank() || a.rank() != b.rank()) {
      return Shape.UNKNOWN;
    }
    long[] sizes = a.dimensions();
    for (int axis = 0; axis < sizes.length; axis++) {
      sizes[axis] = sizes[axis] == b.size(axis) ? sizes[axis] : Shape.UNKNOWN_DIMENSION;
    }
    return Shape.of(sizes);
  }
}
