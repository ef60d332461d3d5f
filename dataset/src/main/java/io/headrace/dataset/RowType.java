package io.headrace.dataset;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A record type as the form of elements: each of its components is a component of the element, or,
 * if it is a record itself, a nested part.
 *
 * @param <R> the record type
 */
final class RowType<R> {
  private final Class<R> type;
  private final Constructor<R> constructor;
  private final List<RecordComponent> components;

  private RowType(Class<R> type, Constructor<R> constructor, List<RecordComponent> components) {
    this.type = type;
    this.constructor = constructor;
    this.components = components;
  }

  /**
   * The form that {@code type} describes.
   *
   * @throws StatusException INVALID_ARGUMENT if it is no record of supported types, or closed to
   *     this module
   */
  static <R> RowType<R> of(Class<R> type) {
    RecordComponent[] components = type.getRecordComponents();
    if (components == null || components.length == 0) {
      throw StatusException.invalidArgument(
          "%s is no record with components", type.getSimpleName());
    }
    for (RecordComponent component : components) {
      if (component.getType().isRecord()) {
        of(component.getType());
      } else if (!RowValues.isSupported(component.getType())) {
        throw StatusException.invalidArgument(
            "%s can be no part of an element: component %s of record %s must be a primitive, a"
                + " String, a Tensor, a record, an array of primitives or Strings, or a buffer",
            component.getType().getSimpleName(), component.getName(), type.getSimpleName());
      }
    }
    try {
      Constructor<R> constructor =
          type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      constructor.setAccessible(true);
      for (RecordComponent component : components) {
        component.getAccessor().setAccessible(true);
      }
      return new RowType<>(type, constructor, List.of(components));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a record without its canonical constructor: " + type, e);
    } catch (InaccessibleObjectException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "the package of record %s must be open to %s"
              .formatted(type.getSimpleName(), RowType.class.getModule()),
          e);
    }
  }

  /** Makes records of elements. */
  interface Reader<R> {
    /** The record of an element with the flattened {@code components}. */
    R read(List<Tensor> components);
  }

  /**
   * A reader of elements of {@code structure}: parts of a map by the names of the record's
   * components, parts of a tuple in their order.
   *
   * @throws StatusException INVALID_ARGUMENT, naming both sides and all that does not fit
   */
  Reader<R> reader(Structure structure) {
    List<String> mismatches = mismatches(structure);
    if (!mismatches.isEmpty()) {
      throw StatusException.invalidArgument(
          "the record %s does not fit elements of %s: %s",
          this, structure, String.join("; ", mismatches));
    }
    List<Structure> parts = parts(structure);
    int[] order = order(structure);
    List<Reader<?>> readers = new ArrayList<>();
    int[] first = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      readers.add(reader(components.get(i).getType(), parts.get(order[i])));
      first[i] = parts.subList(0, order[i]).stream().mapToInt(Structure::size).sum();
    }
    return tensors -> {
      Object[] values = new Object[first.length];
      for (int i = 0; i < values.length; i++) {
        int size = parts.get(order[i]).size();
        values[i] = readers.get(i).read(tensors.subList(first[i], first[i] + size));
      }
      return create(values);
    };
  }

  private static Reader<?> reader(Class<?> type, Structure part) {
    if (type.isRecord()) {
      return of(type).reader(part);
    }
    RowValues values = new RowValues(type);
    return tensors -> values.read(tensors.getFirst());
  }

  /** All that keeps elements of {@code structure} from being such records; empty if they can be. */
  private List<String> mismatches(Structure structure) {
    List<Structure> parts = parts(structure);
    int[] order = order(structure);
    List<String> found = new ArrayList<>();
    if (!(structure instanceof Structure.Dict) && parts.size() != order.length) {
      found.add(
          "the record has %d components, and the elements have %d parts"
              .formatted(order.length, parts.size()));
    }
    for (int i = 0; i < order.length; i++) {
      if (order[i] >= 0) {
        found.addAll(mismatches(components.get(i), parts.get(order[i])));
      } else if (structure instanceof Structure.Dict) {
        found.add("the elements have no " + components.get(i).getName());
      }
    }
    if (structure instanceof Structure.Dict dict) {
      Set<String> left = new LinkedHashSet<>(dict.parts().keySet());
      components.forEach(component -> left.remove(component.getName()));
      if (!left.isEmpty()) {
        found.add(
            "the record has no %s: add what it lacks, or leave it out of the elements with mapElement"
                .formatted(String.join(", ", left)));
      }
    }
    return found;
  }

  private static List<String> mismatches(RecordComponent component, Structure part) {
    Class<?> type = component.getType();
    String name = component.getName();
    if (type.isRecord()) {
      return of(type).mismatches(part).stream()
          .map(mismatch -> "in %s, %s".formatted(name, mismatch))
          .toList();
    }
    RowValues values = new RowValues(type);
    return part instanceof Structure.Component c && values.fits(c.dtype(), c.shape())
        ? List.of()
        : List.of(
            "%s is a %s, which holds %s, and the elements have %s%s"
                .formatted(name, type.getSimpleName(), values.held(), part, hint(values, part)));
  }

  /** The remedy where a batch is missing, or is one too many; empty elsewhere. */
  private static String hint(RowValues values, Structure part) {
    if (!(part instanceof Structure.Component c) || c.shape().isUnknownRank()) {
      return "";
    }
    int rank = c.shape().rank();
    if (values.fits(c.dtype(), c.shape().prepend(Shape.UNKNOWN_DIMENSION))) {
      return rank == 0
          ? ", which is a scalar: batch makes vectors of scalars"
          : ": batch adds a dimension";
    }
    return rank > 0 && values.fits(c.dtype(), c.shape().dropFirst(1))
        ? ": unbatch takes a dimension away, or give the record an array"
        : "";
  }

  private static List<Structure> parts(Structure structure) {
    return switch (structure) {
      case Structure.Tuple t -> t.parts();
      case Structure.Dict d -> List.copyOf(d.parts().values());
      case Structure.Component c -> List.of(c);
      case Structure.Nested n -> List.of(n);
    };
  }

  /** For each component of the record, the index of its part; -1 if there is none. */
  private int[] order(Structure structure) {
    int[] order = new int[components.size()];
    if (structure instanceof Structure.Dict dict) {
      List<String> names = List.copyOf(dict.parts().keySet());
      Arrays.setAll(order, i -> names.indexOf(components.get(i).getName()));
    } else {
      int parts = parts(structure).size();
      Arrays.setAll(order, i -> i < parts ? i : -1);
    }
    return order;
  }

  private R create(Object[] values) {
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException thrown) {
        throw thrown;
      }
      throw new IllegalStateException("the constructor of " + this + " failed", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the constructor of " + this + " can't be called", e);
    }
  }

  /** The structure of elements made of such records: a map by the components' names. */
  Structure structure() {
    Map<String, Structure> parts = new TreeMap<>();
    for (RecordComponent component : components) {
      parts.put(
          component.getName(),
          component.getType().isRecord()
              ? of(component.getType()).structure()
              : new RowValues(component.getType()).component());
    }
    return new Structure.Dict(parts);
  }

  /**
   * The components of the element made of {@code row}, in the order of {@link #structure}.
   *
   * @throws StatusException INVALID_ARGUMENT, naming the component, if a value is null or ragged
   */
  List<Tensor> write(R row) {
    Map<String, List<Tensor>> parts = new TreeMap<>();
    for (RecordComponent component : components) {
      parts.put(component.getName(), write(component, value(component, row)));
    }
    return parts.values().stream().flatMap(List::stream).toList();
  }

  private List<Tensor> write(RecordComponent component, Object value) {
    if (value == null) {
      throw StatusException.invalidArgument(
          "component %s of a record %s is null", component.getName(), this);
    }
    if (component.getType().isRecord()) {
      return of(component.getType()).writeAny(value);
    }
    try {
      return List.of(new RowValues(component.getType()).write(value));
    } catch (StatusException e) {
      throw e.in("component %s of record %s".formatted(component.getName(), this));
    }
  }

  private List<Tensor> writeAny(Object row) {
    return write(type.cast(row));
  }

  private static Object value(RecordComponent component, Object row) {
    try {
      return component.getAccessor().invoke(row);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the accessor of " + component + " failed", e);
    }
  }

  /** The record as it is declared: {@code Reading(long id, float[] values)}. */
  @Override
  public String toString() {
    return components.stream()
        .map(c -> c.getType().getSimpleName() + " " + c.getName())
        .collect(Collectors.joining(", ", type.getSimpleName() + "(", ")"));
  }
}
