package io.headrace.rpc;

import io.headrace.runtime.status.StatusException;
import java.time.Duration;

/**
 * The options of a stream's reader.
 *
 * @param windowBytes the credit window: the bytes that the worker may send beyond those consumed;
 *     one frame may exceed it
 * @param silence a worker is considered lost if it sends nothing, not even a heartbeat, for this
 *     time
 */
public record StreamOptions(long windowBytes, Duration silence) {
  /** A window of 4 MiB, a silence of 10 s. */
  public static final StreamOptions DEFAULT = new StreamOptions(4 << 20, Duration.ofSeconds(10));

  /** INVALID_ARGUMENT unless the window is within the worker's limit and the silence positive. */
  public StreamOptions {
    if (windowBytes < 1 || windowBytes > StreamWriter.MAX_CREDIT_BYTES) {
      throw StatusException.invalidArgument(
          "a stream's window must be 1 to %d bytes, got %d",
          StreamWriter.MAX_CREDIT_BYTES, windowBytes);
    }
    if (!silence.isPositive()) {
      throw StatusException.invalidArgument("silence must be positive, got %s", silence);
    }
  }
}
