package io.headrace.runtime.execute;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.concurrent.CompletableFuture;

/**
 * Where the parts of a step meet: what one sends under a key, another receives, whichever comes
 * first. Thread-safe.
 */
public interface Rendezvous {
  /**
   * What travels.
   *
   * @param tensor the value; a placeholder if it is dead
   * @param isDead whether it comes from a branch that was not taken
   */
  record Value(Tensor tensor, boolean isDead) {
    private static final Tensor NOTHING = Tensor.vector(new float[0]);

    /** What an untaken branch sends. */
    public static Value dead() {
      return new Value(NOTHING, true);
    }

    /** What a taken branch sends. */
    public static Value of(Tensor tensor) {
      return new Value(tensor, false);
    }
  }

  /**
   * Hands {@code value} over under {@code key}; ABORTED if the key is taken.
   *
   * @return completes when it was received, or fails when that will not be
   */
  CompletableFuture<Void> send(String key, Value value);

  /** What is, or will be, sent under {@code key}, by whoever has it. */
  CompletableFuture<Value> receive(String key);

  /** Fails whoever waits, and whoever comes later, with {@code reason}. */
  void abort(StatusException reason);
}
