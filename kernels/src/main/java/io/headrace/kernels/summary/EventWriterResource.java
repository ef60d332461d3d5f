package io.headrace.kernels.summary;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The resource behind a SummaryWriter handle: an event writer while one is open. Thread-safe. */
final class EventWriterResource implements AutoCloseable {
  private final String name;

  @GuardedBy("this")
  private @Nullable EventFileWriter writer;

  EventWriterResource(String name) {
    this.name = name;
  }

  /** The resource of {@code handle}; INVALID_ARGUMENT for any other handle. */
  static EventWriterResource of(Tensor handle) {
    if (handle.elements() == 1 && handle.reference(0) instanceof EventWriterResource resource) {
      return resource;
    }
    throw WrongHandle.of(handle, "summary writer");
  }

  /** Opens a writer by {@code opener} unless one is open. */
  synchronized void begin(Supplier<EventFileWriter> opener) {
    if (writer == null) {
      writer = opener.get();
    }
  }

  /** The open writer; NOT_FOUND if none is open. */
  synchronized EventFileWriter writer() {
    if (writer == null) {
      throw missing();
    }
    return writer;
  }

  private StatusException missing() {
    return StatusException.of(
        StatusCode.NOT_FOUND, "Resource %s (a summary writer) does not exist.", name);
  }

  /** Closes the writer; NOT_FOUND if none is open. */
  synchronized void end() {
    if (writer == null) {
      throw missing();
    }
    close();
  }

  @Override
  public synchronized void close() {
    EventFileWriter open = writer;
    writer = null;
    if (open != null) {
      open.close();
    }
  }
}
