package io.headrace.journal;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.api.client.googleapis.json.GoogleJsonResponseException;
import com.google.api.gax.paging.Page;
import com.google.api.gax.retrying.RetrySettings;
import com.google.auth.Credentials;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.NoCredentials;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobField;
import com.google.cloud.storage.Storage.BlobListOption;
import com.google.cloud.storage.Storage.BlobTargetOption;
import com.google.cloud.storage.StorageException;
import io.headrace.gcs.GcsClients;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;

/**
 * The objects of a journal in its bucket, by their names under the journal's path. Each call is one
 * request (a listing, one per page) without retries. It ends within its timeout; the service may
 * still carry the request out afterwards. Thread-safe.
 */
final class GcsBucket implements AutoCloseable {
  /** Additional timeout per byte sent, which allows for 256 KiB/s. */
  private static final long NANOS_PER_BYTE = 4_000;

  private static final int PRECONDITION_FAILED = 412;
  private static final int NOT_FOUND = 404;

  private final GcsLocation location;
  private final Storage storage;
  private final Duration timeout;
  private final ExecutorService requests =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("gcs-request-", 0).factory());

  private GcsBucket(GcsLocation location, Storage storage, Duration timeout) {
    this.location = location;
    this.storage = storage;
    this.timeout = timeout;
  }

  /**
   * Prepares a client, without a request to the service.
   *
   * @throws StatusException FAILED_PRECONDITION if credentials are needed and there are none
   */
  static GcsBucket connect(GcsLocation location, Duration timeout) {
    RetrySettings once = RetrySettings.newBuilder().setMaxAttempts(1).build();
    Storage storage = GcsClients.connect(location.endpoint(), credentials(location), timeout, once);
    return new GcsBucket(location, storage, timeout);
  }

  private static Credentials credentials(GcsLocation location) {
    if (!location.hasCredentials()) {
      return NoCredentials.getInstance();
    }
    try {
      return GoogleCredentials.getApplicationDefault();
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "work_dir "
              + location
              + " needs Google's application default credentials, and there are none: "
              + firstLine(e),
          e);
    }
  }

  /** The location of the objects. */
  GcsLocation location() {
    return location;
  }

  /**
   * Creates the object {@code name} unless it exists.
   *
   * @return false if it exists
   */
  boolean create(String name, byte[] content) throws GcsFailure {
    try {
      put(name, content, BlobTargetOption.doesNotExist());
      return true;
    } catch (GcsFailure e) {
      if (e.status() == PRECONDITION_FAILED) {
        return false;
      }
      throw e;
    }
  }

  /** Creates or overwrites {@code name}. */
  void overwrite(String name, byte[] content) throws GcsFailure {
    put(name, content);
  }

  /** The content of {@code name}; empty if there is no such object. */
  Optional<byte[]> read(String name) throws GcsFailure {
    try {
      return Optional.of(
          call(0, "read " + name, () -> storage.readAllBytes(location.bucket(), key(name))));
    } catch (GcsFailure e) {
      if (e.status() == NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The names of all objects with the prefix {@code start}, in order. */
  List<String> list(String start) throws GcsFailure {
    return call(
        0,
        "list " + start,
        () -> {
          List<String> names = new ArrayList<>();
          page(start).iterateAll().forEach(blob -> names.add(name(blob)));
          return names;
        });
  }

  /** The names on the first page of a listing. */
  List<String> first() throws GcsFailure {
    return call(0, "list", () -> page("").streamValues().map(this::name).toList());
  }

  private Page<Blob> page(String start) {
    return storage.list(
        location.bucket(),
        BlobListOption.prefix(key(start)),
        BlobListOption.fields(BlobField.NAME));
  }

  private String name(Blob blob) {
    return blob.getName().substring(location.prefix().length());
  }

  /** Deletes {@code name} if it exists. */
  void delete(String name) throws GcsFailure {
    var _ = call(0, "delete " + name, () -> storage.delete(id(name)));
  }

  /** Cancels the requests in flight. */
  @Override
  public void close() {
    requests.shutdownNow();
    try {
      storage.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void put(String name, byte[] content, BlobTargetOption... options) throws GcsFailure {
    BlobInfo info =
        BlobInfo.newBuilder(id(name))
            .setContentType("application/octet-stream")
            .setCrc32c(crc32c(content))
            .build();
    var _ = call(content.length, "write " + name, () -> storage.create(info, content, options));
  }

  private <T> T call(long bytes, String what, Callable<T> request) throws GcsFailure {
    Future<T> answer = requests.submit(request);
    try {
      return answer.get(timeout.toNanos() + bytes * NANOS_PER_BYTE, NANOSECONDS);
    } catch (ExecutionException e) {
      throw failure(what, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new GcsFailure(0, what + ": no answer in " + timeout.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new GcsFailure(0, what + ": interrupted", e);
    }
  }

  private static GcsFailure failure(String what, Throwable cause) {
    if (cause instanceof StorageException e) {
      String reason = e.getCode() == 0 ? root(e) : e.getCode() + " " + reason(e);
      return new GcsFailure(e.getCode(), what + ": " + reason, cause);
    }
    if (cause instanceof IOException || cause instanceof InterruptedIOException) {
      return new GcsFailure(0, what + ": " + cause, cause);
    }
    // For instance, an answer that can't be parsed.
    return new GcsFailure(0, what + ": " + root(cause), cause);
  }

  private static String reason(StorageException e) {
    return e.getCause() instanceof GoogleJsonResponseException json && json.getDetails() != null
        ? String.valueOf(json.getDetails().getMessage())
        : firstLine(e);
  }

  private static String root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString();
  }

  private static String firstLine(Throwable failure) {
    return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
  }

  private BlobId id(String name) {
    return BlobId.of(location.bucket(), key(name));
  }

  private String key(String name) {
    return location.prefix() + name;
  }

  private static String crc32c(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content);
    byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
    return Base64.getEncoder().encodeToString(bytes);
  }
}
