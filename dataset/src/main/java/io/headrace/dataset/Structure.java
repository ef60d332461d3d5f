package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.UserCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nesting of an element's components. Components are ordered: those of a tuple by position,
 * those of a map by key. Immutable.
 */
public sealed interface Structure {
  /** The results that lambdas may have, for messages. */
  String RESULT = "an Output, or a List or Map of such, none of them null";

  /**
   * One component.
   *
   * @param shape the static shape; dimensions may be unknown
   */
  record Component(DataType dtype, Shape shape) implements Structure {
    /** Dtype and shape: {@code float[?,3]}. */
    @Override
    public String toString() {
      return dtype.tfName() + shape;
    }
  }

  /** A tuple of structures. */
  record Tuple(List<Structure> parts) implements Structure {
    /** Copies the list. */
    public Tuple {
      parts = List.copyOf(parts);
    }

    /** The parts in parentheses: {@code (string[], int64[])}. */
    @Override
    public String toString() {
      return parts.stream().map(Object::toString).collect(Collectors.joining(", ", "(", ")"));
    }
  }

  /** A map of structures, sorted by key. */
  record Dict(Map<String, Structure> parts) implements Structure {
    /** Sorts the keys. */
    public Dict {
      parts = Collections.unmodifiableMap(new TreeMap<>(parts));
    }

    /** The parts with their keys: <code>{id: int64[], text: string[]}</code>. */
    @Override
    public String toString() {
      return parts.entrySet().stream()
          .map(part -> part.getKey() + ": " + part.getValue())
          .collect(Collectors.joining(", ", "{", "}"));
    }
  }

  /** A dataset as a component of an element, as {@code window} returns it. */
  record Nested(Structure element) implements Structure {
    /** The structure of the nested dataset's elements: {@code Dataset<int64[]>}. */
    @Override
    public String toString() {
      return "Dataset<" + element + ">";
    }
  }

  /** The components, flattened. */
  default List<Component> components() {
    return switch (this) {
      case Component c -> List.of(c);
      case Tuple t -> t.parts().stream().flatMap(p -> p.components().stream()).toList();
      case Dict d -> d.parts().values().stream().flatMap(p -> p.components().stream()).toList();
      case Nested _ -> List.of(new Component(DataType.VARIANT, Shape.SCALAR));
    };
  }

  /** The dtypes of the components. */
  default List<DataType> types() {
    return components().stream().map(Component::dtype).toList();
  }

  /** The shapes of the components. */
  default List<Shape> shapes() {
    return components().stream().map(Component::shape).toList();
  }

  /** This structure with {@code change} applied to the shape of each component. */
  default Structure mapShapes(UnaryOperator<Shape> change) {
    return switch (this) {
      case Component c -> new Component(c.dtype(), change.apply(c.shape()));
      case Tuple t -> new Tuple(t.parts().stream().map(p -> p.mapShapes(change)).toList());
      case Dict d -> {
        Map<String, Structure> parts = new LinkedHashMap<>();
        d.parts().forEach((key, part) -> parts.put(key, part.mapShapes(change)));
        yield new Dict(parts);
      }
      case Nested n -> n;
    };
  }

  /** This structure with another in the place of each component. */
  default Structure mapLeaves(UnaryOperator<Structure> change) {
    return switch (this) {
      case Component c -> change.apply(c);
      case Nested n -> change.apply(n);
      case Tuple t -> new Tuple(t.parts().stream().map(p -> p.mapLeaves(change)).toList());
      case Dict d -> {
        Map<String, Structure> parts = new LinkedHashMap<>();
        d.parts().forEach((key, part) -> parts.put(key, part.mapLeaves(change)));
        yield new Dict(parts);
      }
    };
  }

  /** Refuses structures that hold datasets, for {@code transformation}, which takes tensors. */
  default void checkTensors(String transformation) {
    mapLeaves(leaf -> {
      if (leaf instanceof Nested) {
        throw StatusException.unimplemented(
            "%s takes tensors, and the elements hold datasets: %s; flat_map them first",
            transformation, this);
      }
      return leaf;
    });
  }

  /** The number of components. */
  default int size() {
    return components().size();
  }

  /**
   * The structure of a traced lambda's result: an Output, a Dataset, or nested lists and maps of
   * these.
   *
   * @throws StatusException INVALID_ARGUMENT for anything else, null among it, naming the method
   *     that the lambda was given to and the line of the call
   */
  static Structure of(@Nullable Object returned) {
    return switch (returned) {
      case null -> throw UserCall.nullFrom(Dataset.class, RESULT);
      case Output o -> new Component(o.dtype(), o.shape());
      case List<?> list -> {
        List<Structure> parts = new ArrayList<>();
        for (Object part : list) {
          requirePart(part, "part " + parts.size() + " of a list");
          parts.add(of(part));
        }
        yield new Tuple(parts);
      }
      case Map<?, ?> map -> {
        Map<String, Structure> parts = new LinkedHashMap<>();
        map.forEach((key, value) -> {
          requirePart(key, "a key of a map");
          requirePart(value, "\"" + key + "\" of a map");
          parts.put(String.valueOf(key), of(value));
        });
        yield new Dict(parts);
      }
      case SymbolicElement e -> e.structure();
      case Dataset d -> new Nested(d.structure());
      default ->
          throw StatusException.invalidArgument(
              "the function given to %s returned a %s; it must return %s",
              UserCall.of(Dataset.class), returned.getClass().getSimpleName(), RESULT);
    };
  }

  private static void requirePart(@Nullable Object part, String place) {
    if (part == null) {
      throw StatusException.invalidArgument(
          "the function given to %s returned null as %s; it must return %s",
          UserCall.of(Dataset.class), place, RESULT);
    }
  }

  /** The outputs in a traced lambda's result, flattened in the order of {@link #of}. */
  static List<Output> flatten(Object returned) {
    return switch (returned) {
      case Output o -> List.of(o);
      case List<?> list -> {
        List<Output> all = new ArrayList<>();
        list.forEach(part -> all.addAll(flatten(part)));
        yield all;
      }
      case Map<?, ?> map -> {
        Map<String, Object> sorted = new TreeMap<>();
        map.forEach((key, value) -> sorted.put(String.valueOf(key), value));
        List<Output> all = new ArrayList<>();
        sorted.values().forEach(part -> all.addAll(flatten(part)));
        yield all;
      }
      case SymbolicElement e -> e.components();
      case Dataset d -> List.of(d.build(GraphBuilder.current()));
      default -> {
        of(returned);
        throw new AssertionError("not a structure: " + returned);
      }
    };
  }
}
