package io.headrace.runtime.execute;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.concurrent.CompletableFuture;

/**
 * The exchange of tensors between the parts of a step: a value sent under a key meets the receive
 * of that key, in either order. Thread-safe.
 */
public interface Rendezvous {
  /**
   * A transferred value.
   *
   * @param tensor the value; a placeholder if it is dead
   * @param isDead whether it comes from an untaken branch
   */
  record Value(Tensor tensor, boolean isDead) {
    private static final Tensor NOTHING = Tensor.vector(new float[0]);

    /** The value that an untaken branch sends. */
    public static Value dead() {
      return new Value(NOTHING, true);
    }

    /** The value that a taken branch sends. */
    public static Value of(Tensor tensor) {
      return new Value(tensor, false);
    }
  }

  /**
   * Sends {@code value} under {@code key}; ABORTED if the key was already sent.
   *
   * @return completes when the value is received, and fails when it never will be
   */
  CompletableFuture<Void> send(String key, Value value);

  /** Receives the value of {@code key}, when it is sent. */
  CompletableFuture<Value> receive(String key);

  /** Fails all pending and all later calls with {@code reason}. */
  void abort(StatusException reason);
}
