package io.headrace.dataset.execute.pass;

import org.jspecify.annotations.Nullable;

/**
 * The position of an iterator in its pass, as TensorFlow's messages name it: {@code
 * Iterator::Root::Prefetch::FlatMap[0]::Map} is the map inside the first dataset that the flat map
 * below a prefetch made. Immutable; the text is built only when it is asked for.
 */
public final class IteratorPath {
  /** The user of a pass, above its last transformation. */
  public static final IteratorPath ROOT = new IteratorPath(null, "Iterator::Root");

  private final @Nullable IteratorPath consumer;
  private final String name;

  private IteratorPath(@Nullable IteratorPath consumer, String name) {
    this.consumer = consumer;
    this.name = name;
  }

  /** The iterator {@code name} that this one reads. */
  IteratorPath input(String name) {
    return new IteratorPath(this, "::" + name);
  }

  /** This iterator where it reads its input number {@code index}. */
  IteratorPath at(long index) {
    return new IteratorPath(this, "[" + index + "]");
  }

  /** The names from the root on. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (IteratorPath path = this; path != null; path = path.consumer) {
      text.insert(0, path.name);
    }
    return text.toString();
  }
}
