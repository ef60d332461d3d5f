package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/**
 * The symbolic element that a lambda receives while it is traced: outputs, nested as the dataset's
 * elements.
 *
 * @param structure the nesting of the components
 * @param components the components, flattened
 */
public record SymbolicElement(Structure structure, List<Output> components) {
  /** Copies the list. */
  public SymbolicElement {
    requireNonNull(structure, "structure is null");
    requireNonNull(components, "components is null");
    components = List.copyOf(components);
  }

  /** The only component. */
  public Output output() {
    if (components.size() != 1) {
      throw StatusException.invalidArgument(
          "the element has %d components, not one: %s; in functions of whole elements, as of"
              + " mapElement and filterElement, %s takes a part",
          components.size(), structure, Element.access(structure));
    }
    return components.getFirst();
  }

  /**
   * The only component, a dataset, as {@link Dataset#window} yields it.
   *
   * <pre>{@code
   * Dataset.range(7).window(Window.of(3)).flatMapElement(window -> window.dataset().batch(3))
   * }</pre>
   */
  public Dataset dataset() {
    if (!(structure instanceof Structure.Nested nested)) {
      throw StatusException.invalidArgument("the element is no dataset: it is %s", structure);
    }
    Output only = output();
    return new Dataset(nested.element(), _ -> only);
  }

  /** Part {@code index} of a tuple. */
  public SymbolicElement get(int index) {
    if (!(structure instanceof Structure.Tuple tuple)
        || index < 0
        || index >= tuple.parts().size()) {
      throw StatusException.invalidArgument("the element has no part %d: %s", index, structure);
    }
    return part(tuple.parts(), index);
  }

  /** The part called {@code name} of a map. */
  public SymbolicElement get(String name) {
    requireNonNull(name, "name is null");
    if (!(structure instanceof Structure.Dict dict) || !dict.parts().containsKey(name)) {
      throw StatusException.invalidArgument("the element has no part %s: %s", name, structure);
    }
    return part(
        List.copyOf(dict.parts().values()), List.copyOf(dict.parts().keySet()).indexOf(name));
  }

  /** The parts of a tuple or a map. */
  List<SymbolicElement> parts() {
    List<Structure> parts =
        switch (structure) {
          case Structure.Tuple t -> t.parts();
          case Structure.Dict d -> List.copyOf(d.parts().values());
          case Structure.Component c -> List.of(c);
          case Structure.Nested n -> List.of(n);
        };
    List<SymbolicElement> result = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      result.add(part(parts, i));
    }
    return result;
  }

  private SymbolicElement part(List<Structure> parts, int index) {
    int first = 0;
    for (int i = 0; i < index; i++) {
      first += parts.get(i).size();
    }
    Structure part = parts.get(index);
    return new SymbolicElement(part, components.subList(first, first + part.size()));
  }
}
