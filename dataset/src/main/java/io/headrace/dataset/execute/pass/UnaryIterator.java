package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;

/** A pass that reads one other pass and closes it. */
public abstract class UnaryIterator implements ChunkIterator {
  /** The pass that it reads. */
  public final ChunkIterator input;

  /** The origins dropped since the last row. */
  public final DroppedOrigins dropped = new DroppedOrigins();

  public UnaryIterator(ChunkIterator input) {
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
