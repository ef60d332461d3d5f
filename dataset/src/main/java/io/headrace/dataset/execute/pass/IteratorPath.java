package io.headrace.dataset.execute.pass;

import org.jspecify.annotations.Nullable;

/**
 * The position of an iterator in its pass, as TensorFlow's messages name it: {@code
 * Iterator::Root::Prefetch::FlatMap[0]::Map} is the map inside the first dataset that the flat map
 * below a prefetch made. In a measured pass it leads to the iterator's {@link Stage}. Immutable;
 * the text is built only when it is asked for.
 */
public final class IteratorPath {
  /** The user of a pass, above its last transformation. */
  public static final IteratorPath ROOT = new IteratorPath(null, "Iterator::Root");

  private final @Nullable IteratorPath consumer;
  private final String name;
  private final Stage stage;

  /** The place of the iterator's inputs in its stage. */
  private final int place;

  private IteratorPath(@Nullable IteratorPath consumer, String name) {
    this(consumer, name, Stage.UNMEASURED, Stage.INPUT);
  }

  private IteratorPath(@Nullable IteratorPath consumer, String name, Stage stage, int place) {
    this.consumer = consumer;
    this.name = name;
    this.stage = stage;
    this.place = place;
  }

  /** The user of a pass whose stages are measured. */
  static IteratorPath measured(Stage user) {
    return new IteratorPath(null, ROOT.name, user, Stage.INPUT);
  }

  /** The stage that iterators at this position are part of. */
  Stage stage() {
    return stage;
  }

  /** The iterator {@code name} that this one reads. */
  IteratorPath input(String name) {
    return new IteratorPath(this, "::" + name, stage.input(place, name), Stage.INPUT);
  }

  /** This iterator where it reads its input number {@code index}. */
  IteratorPath at(long index) {
    return new IteratorPath(this, "[" + index + "]", stage, Stage.INNER);
  }

  /** This iterator where it reads the input number {@code index} of those that it always has. */
  IteratorPath atInput(int index) {
    return new IteratorPath(this, "[" + index + "]", stage, Stage.FIRST_OF_SEVERAL + index);
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
