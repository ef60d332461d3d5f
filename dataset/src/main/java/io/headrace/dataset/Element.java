package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One element of a dataset: tensors, nested as described by its dataset's {@link Structure}.
 * Immutable.
 *
 * @param structure the nesting of the components
 * @param components the components, flattened
 */
public record Element(Structure structure, List<Tensor> components) {
  /** Copies the list. */
  public Element {
    requireNonNull(structure, "structure is null");
    requireNonNull(components, "components is null");
    components = List.copyOf(components);
  }

  /** The only component. */
  public Tensor tensor() {
    if (components.size() != 1) {
      throw StatusException.invalidArgument(
          "the element has %d components, not one: %s; %s takes a part",
          components.size(), structure, access(structure));
    }
    return components.getFirst();
  }

  /** The only component, an integer scalar. */
  public long asLong() {
    return tensor().integer(0);
  }

  /** Component {@code index} of the flattened element. */
  public Tensor component(int index) {
    return components.get(index);
  }

  /** Part {@code index} of a tuple. */
  public Element get(int index) {
    if (structure instanceof Structure.Tuple tuple && index >= 0 && index < tuple.parts().size()) {
      return part(tuple.parts(), index);
    }
    throw StatusException.invalidArgument("the element has no part %d: %s", index, structure);
  }

  /** The part called {@code name} of a map. */
  public Element get(String name) {
    requireNonNull(name, "name is null");
    if (structure instanceof Structure.Dict dict && dict.parts().containsKey(name)) {
      Map<String, Structure> parts = dict.parts();
      return part(List.copyOf(parts.values()), List.copyOf(parts.keySet()).indexOf(name));
    }
    throw StatusException.invalidArgument("the element has no part %s: %s", name, structure);
  }

  /** How code takes a part of elements of {@code structure}, for messages. */
  static String access(Structure structure) {
    return structure instanceof Structure.Dict dict && !dict.parts().isEmpty()
        ? "get(\"%s\")".formatted(dict.parts().keySet().iterator().next())
        : "get(0)";
  }

  /** The values, shortened, as they are nested: {@code {id: int64[] 7, name: string[] "x"}}. */
  @Override
  public String toString() {
    return switch (structure) {
      case Structure.Component _ -> components.getFirst().toString();
      case Structure.Nested _ -> structure.toString();
      case Structure.Tuple tuple ->
          IntStream.range(0, tuple.parts().size())
              .mapToObj(i -> part(tuple.parts(), i).toString())
              .collect(Collectors.joining(", ", "(", ")"));
      case Structure.Dict dict ->
          dict.parts().keySet().stream()
              .map(name -> name + ": " + get(name))
              .collect(Collectors.joining(", ", "{", "}"));
    };
  }

  private Element part(List<Structure> parts, int index) {
    int first = 0;
    for (int i = 0; i < index; i++) {
      first += parts.get(i).size();
    }
    Structure part = parts.get(index);
    return new Element(part, components.subList(first, first + part.size()));
  }
}
