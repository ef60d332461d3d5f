package io.headrace.dataset.execute;

import io.headrace.runtime.origin.Origins;

/** A pass that reads one other pass and closes it. */
abstract class UnaryIterator implements ChunkIterator {
  /** What it reads. */
  final ChunkIterator input;

  /** What was dropped since the last row. */
  final Dropped dropped = new Dropped();

  UnaryIterator(ChunkIterator input) {
    this.input = input;
  }

  @Override
  public Origins rest() {
    return dropped.takeWithRestOf(input);
  }

  @Override
  public void close() {
    input.close();
  }
}
