package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A pass that throws one failure and then ends. */
final class FailedIterator implements ChunkIterator {
  private @Nullable StatusException failure;
  private final Origins rest;

  FailedIterator(StatusException failure, Origins rest) {
    this.failure = failure;
    this.rest = rest;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    StatusException thrown = failure;
    if (thrown != null) {
      failure = null;
      throw thrown;
    }
    return null;
  }

  @Override
  public Origins rest() {
    return rest;
  }

  @Override
  public void close() {}
}
