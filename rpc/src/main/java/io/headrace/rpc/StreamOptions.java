package io.headrace.rpc;

import io.headrace.runtime.status.StatusException;
import java.time.Duration;

/**
 * How a stream is read.
 *
 * @param windowBytes what the worker may send ahead of what was consumed; it may pass it by one
 *     frame
 * @param silence a worker that gives no sign of life for so long is taken for lost
 */
public record StreamOptions(long windowBytes, Duration silence) {
  /** 4 MiB, 10 s. */
  public static final StreamOptions DEFAULT = new StreamOptions(4 << 20, Duration.ofSeconds(10));

  /** Fails with INVALID_ARGUMENT for a window that workers refuse, or a silence of no length. */
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
