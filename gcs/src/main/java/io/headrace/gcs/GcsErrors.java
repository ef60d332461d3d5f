package io.headrace.gcs;

import com.google.api.client.googleapis.json.GoogleJsonResponseException;
import com.google.cloud.storage.StorageException;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Errors of Cloud Storage, as TensorFlow's status codes. */
final class GcsErrors {
  static final int PRECONDITION_FAILED = 412;

  private GcsErrors() {}

  /** Whether a request was refused since its precondition does not hold. */
  static boolean isPreconditionFailed(StorageException e) {
    return e.getCode() == PRECONDITION_FAILED;
  }

  /** The failure of an operation on {@code file}, with TensorFlow's code for the HTTP status. */
  static StatusException failure(String file, Exception e) {
    @Nullable StorageException storage = find(e);
    if (storage == null) {
      return new StatusException(StatusCode.UNAVAILABLE, file + "; " + root(e), e);
    }
    StatusCode code =
        switch (storage.getCode()) {
          case 404, 410 -> StatusCode.NOT_FOUND;
          case 401, 403, 407 -> StatusCode.PERMISSION_DENIED;
          case PRECONDITION_FAILED -> StatusCode.FAILED_PRECONDITION;
          case 416 -> StatusCode.OUT_OF_RANGE;
          case 408, 409, 429 -> StatusCode.UNAVAILABLE;
          default ->
              storage.getCode() >= 400 && storage.getCode() < 500
                  ? StatusCode.INVALID_ARGUMENT
                  : StatusCode.UNAVAILABLE;
        };
    String reason =
        storage.getCode() == 0 ? root(storage) : storage.getCode() + " " + reason(storage);
    return new StatusException(code, file + "; " + reason, e);
  }

  static StatusException notFound(String file) {
    return StatusException.of(StatusCode.NOT_FOUND, "%s; No such object or folder", file);
  }

  static StatusException exists(String file) {
    return StatusException.of(StatusCode.FAILED_PRECONDITION, "%s; File exists", file);
  }

  /** An exception that a stream may throw. */
  static IOException streamFailure(StatusException e) {
    return new IOException(e.message(), e);
  }

  private static @Nullable StorageException find(Throwable e) {
    for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof StorageException storage) {
        return storage;
      }
    }
    return null;
  }

  private static String reason(StorageException e) {
    return e.getCause() instanceof GoogleJsonResponseException json && json.getDetails() != null
        ? String.valueOf(json.getDetails().getMessage())
        : String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static String root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString();
  }
}
