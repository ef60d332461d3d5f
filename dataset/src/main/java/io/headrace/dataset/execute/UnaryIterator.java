package io.headrace.dataset.execute;

/** A pass that reads one other pass and closes it. */
abstract class UnaryIterator implements ChunkIterator {
  /** What it reads. */
  final ChunkIterator input;

  UnaryIterator(ChunkIterator input) {
    this.input = input;
  }

  @Override
  public void close() {
    input.close();
  }
}
