package io.headrace.gcs;

import com.google.api.gax.retrying.RetrySettings;
import com.google.auth.Credentials;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.NoCredentials;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobField;
import com.google.cloud.storage.Storage.BlobGetOption;
import com.google.cloud.storage.Storage.BlobListOption;
import com.google.cloud.storage.Storage.BlobTargetOption;
import com.google.cloud.storage.Storage.BlobWriteOption;
import com.google.cloud.storage.Storage.CopyRequest;
import com.google.cloud.storage.StorageException;
import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.FileAttributes;
import io.headrace.runtime.file.FileSystem;
import io.headrace.runtime.file.PositionalReader;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The files of Google Cloud Storage, {@code gs://BUCKET/OBJECT}.
 *
 * <p>The service has objects only. As TensorFlow and Google's own tools do, this shows a folder
 * where names of objects begin with it and a slash, and makes an empty one as an empty object whose
 * name ends in a slash. An object appears, durable, when all of it is written. A file keeps its
 * version while it is open. A renamed file is copied by the service and then deleted, so a crash
 * between the two leaves both.
 *
 * <p>Credentials are Google's application default ones; without them, public objects can be read.
 * The system property {@value #ENDPOINT_PROPERTY}, or the environment's {@value
 * #EMULATOR_VARIABLE}, names another endpoint, such as an emulator's; one of http gets no
 * credentials. Requests that fail are repeated for {@link #PATIENCE}. Thread-safe.
 */
public final class GcsFileSystem implements FileSystem {
  /** The system property that names the endpoint, {@code http://HOST:PORT}. */
  public static final String ENDPOINT_PROPERTY = "headrace.gcs.endpoint";

  /** The environment's variable that names an emulator, for all of Google's clients. */
  public static final String EMULATOR_VARIABLE = "STORAGE_EMULATOR_HOST";

  private static final Logger LOGGER = System.getLogger(GcsFileSystem.class.getName());

  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The metadata that tells one writer's object from another's. */
  private static final String WRITER = "headrace-writer";

  private final Supplier<Storage> connection;
  private volatile @Nullable Storage connected;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("gcs-read-", 0).factory());

  /** For {@link java.util.ServiceLoader}: connects when it is first used. */
  public GcsFileSystem() {
    this(() -> connect(endpoint(), PATIENCE));
  }

  private GcsFileSystem(Supplier<Storage> connection) {
    this.connection = connection;
  }

  /**
   * The files of the service at {@code endpoint}, whose failures are borne for {@code patience}.
   */
  static GcsFileSystem at(String endpoint, Duration patience) {
    return new GcsFileSystem(() -> connect(endpoint, patience));
  }

  private static String endpoint() {
    @Nullable String property = System.getProperty(ENDPOINT_PROPERTY);
    @Nullable String variable = System.getenv(EMULATOR_VARIABLE);
    String endpoint = property != null ? property : variable != null ? variable : "";
    return endpoint.isEmpty() || endpoint.contains("://") ? endpoint : "http://" + endpoint;
  }

  private static Storage connect(String endpoint, Duration patience) {
    RetrySettings retries =
        RetrySettings.newBuilder()
            .setInitialRetryDelayDuration(Duration.ofMillis(200))
            .setRetryDelayMultiplier(2)
            .setMaxRetryDelayDuration(Duration.ofSeconds(10))
            .setMaxAttempts(10)
            .setTotalTimeoutDuration(patience)
            .build();
    return GcsClients.connect(endpoint, credentials(endpoint), TIMEOUT, retries);
  }

  private static Credentials credentials(String endpoint) {
    if (endpoint.startsWith("http://")) {
      return NoCredentials.getInstance();
    }
    try {
      return GoogleCredentials.getApplicationDefault();
    } catch (IOException e) {
      LOGGER.log(
          Level.WARNING,
          "no application default credentials of Google's were found, so only public objects of"
              + " gs:// can be read: {0}",
          String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
      return NoCredentials.getInstance();
    }
  }

  private Storage storage() {
    @Nullable Storage storage = connected;
    if (storage == null) {
      synchronized (connection) {
        storage = connected;
        if (storage == null) {
          storage = connection.get();
          connected = storage;
        }
      }
    }
    return storage;
  }

  @Override
  public String scheme() {
    return GcsName.SCHEME;
  }

  @Override
  public Opened open(String file) {
    GcsRanges ranges = ranges(file);
    return new Opened(new GcsInput(ranges, threads), ranges.size());
  }

  @Override
  public PositionalReader openPositional(String file) {
    return new Reader(ranges(file));
  }

  private GcsRanges ranges(String file) {
    GcsName name = GcsName.parseFile(file);
    Blob blob =
        find(file, name.id(), BlobField.SIZE, BlobField.GENERATION)
            .orElseThrow(() -> absent(file, name));
    return new GcsRanges(storage(), file, blob.getBlobId(), blob.getSize());
  }

  private StatusException absent(String file, GcsName name) {
    return isFolder(file, name)
        ? StatusException.of(
            StatusCode.FAILED_PRECONDITION, "%s is a directory, and must be a file", file)
        : GcsErrors.notFound(file);
  }

  @Override
  public FileAttributes attributes(String file) {
    GcsName name = GcsName.parse(file);
    Optional<Blob> found =
        name.object().isEmpty()
            ? Optional.empty()
            : find(file, name.id(), BlobField.SIZE, BlobField.UPDATED);
    if (found.isPresent()) {
      @Nullable OffsetDateTime updated = found.get().getUpdateTimeOffsetDateTime();
      long millis = updated == null ? 0 : updated.toInstant().toEpochMilli();
      return new FileAttributes(true, false, found.get().getSize(), millis);
    }
    if (isFolder(file, name)) {
      return new FileAttributes(false, true, 0, 0);
    }
    throw GcsErrors.notFound(file);
  }

  @Override
  public boolean exists(String file) {
    GcsName name = GcsName.parse(file);
    return (!name.object().isEmpty() && find(file, name.id(), BlobField.NAME).isPresent())
        || isFolder(file, name);
  }

  @Override
  public List<String> matching(String pattern, Cancellation cancellation) {
    GcsName name = GcsName.parse(pattern);
    GcsPatterns patterns = new GcsPatterns(storage(), name.bucket(), pattern, cancellation);
    try {
      // Names of a glob were listed; the others may not exist.
      boolean exist = GcsPatterns.endsInGlob(name.object());
      return patterns.matching(name.object()).stream()
          .map(name::sibling)
          .filter(match -> exist || exists(match))
          .toList();
    } catch (StorageException e) {
      throw GcsErrors.failure(pattern, e);
    }
  }

  @Override
  public List<String> names(String folder) {
    GcsName name = GcsName.parse(folder);
    Set<String> names = new TreeSet<>();
    boolean exists = false;
    long bytes = 0;
    try {
      for (Blob blob : list(storage(), name.bucket(), name.prefix(), BlobField.NAME)) {
        exists = true;
        String child = blob.getName().substring(name.prefix().length());
        child = child.endsWith("/") ? child.substring(0, child.length() - 1) : child;
        bytes += child.length();
        if (bytes > TensorLimit.maxBytes()) {
          throw StatusException.of(
              StatusCode.RESOURCE_EXHAUSTED,
              "the names in %s pass the bound of %d bytes",
              folder,
              TensorLimit.maxBytes());
        }
        if (!child.isEmpty()) {
          names.add(child);
        }
      }
    } catch (StorageException e) {
      throw GcsErrors.failure(folder, e);
    }
    if (!exists && !name.object().isEmpty()) {
      throw GcsErrors.notFound(folder);
    }
    return List.copyOf(names);
  }

  /**
   * The names that begin with {@code prefix}; of those with a slash behind it, the part up to
   * there.
   */
  static Iterable<Blob> list(Storage storage, String bucket, String prefix, BlobField... fields) {
    return storage
        .list(
            bucket,
            BlobListOption.prefix(prefix),
            BlobListOption.currentDirectory(),
            BlobListOption.fields(fields))
        .iterateAll();
  }

  @Override
  public OutputStream create(String file) {
    GcsName name = GcsName.parseFile(file);
    if (exists(file)) {
      throw GcsErrors.exists(file);
    }
    return upload(file, name, BlobWriteOption.doesNotExist());
  }

  @Override
  public OutputStream replace(String file) {
    return upload(file, GcsName.parseFile(file));
  }

  @Override
  public AtomicFile createAtomic(String file) {
    return new GcsAtomicFile(file, upload(file, GcsName.parseFile(file)));
  }

  private GcsOutput upload(String file, GcsName name, BlobWriteOption... options) {
    try {
      return new GcsOutput(file, storage().writer(info(name.id()).build(), options));
    } catch (StorageException e) {
      throw GcsErrors.failure(file, e);
    }
  }

  @Override
  public boolean createNew(String file, byte[] content) {
    return createNew(file, GcsName.parseFile(file).id(), content);
  }

  private boolean createNew(String file, BlobId id, byte[] content) {
    String writer = UUID.randomUUID().toString();
    BlobInfo info = info(id).setMetadata(Map.of(WRITER, writer)).build();
    try {
      var _ = storage().create(info, content, BlobTargetOption.doesNotExist());
      return true;
    } catch (StorageException e) {
      return hasWritten(file, id, writer, e);
    }
  }

  /**
   * Whether an object that must not have existed is this writer's own: the answer to the request
   * that wrote it was lost, and the repeated one refused. Rethrows other failures.
   */
  private boolean hasWritten(String file, BlobId id, String writer, StorageException e) {
    if (!GcsErrors.isPreconditionFailed(e)) {
      throw GcsErrors.failure(file, e);
    }
    return find(file, id, BlobField.METADATA)
        .map(Blob::getMetadata)
        .filter(metadata -> writer.equals(metadata.get(WRITER)))
        .isPresent();
  }

  @Override
  public void write(String file, byte[] content) {
    try {
      var _ = storage().create(info(GcsName.parseFile(file).id()).build(), content);
    } catch (StorageException e) {
      throw GcsErrors.failure(file, e);
    }
  }

  private static BlobInfo.Builder info(BlobId id) {
    return BlobInfo.newBuilder(id).setContentType("application/octet-stream");
  }

  @Override
  public void createFolder(String folder) {
    createFolders(folder);
  }

  /** Folders need no parents. */
  @Override
  public void createFolders(String folder) {
    GcsName name = GcsName.parse(folder);
    if (!name.object().isEmpty() && !isFolder(folder, name)) {
      var _ = createNew(folder, name.marker(), new byte[0]);
    }
  }

  /** Does nothing: what the service has acknowledged is durable. */
  @Override
  public void syncFolder(String folder) {
    var _ = GcsName.parse(folder);
  }

  @Override
  public void rename(String file, String to) {
    GcsName from = GcsName.parseFile(file);
    GcsName target = GcsName.parseFile(to);
    try {
      if (find(file, from.id(), BlobField.NAME).isPresent()) {
        move(from.id(), target.id());
        return;
      }
      List<BlobId> objects = objectsIn(from);
      if (objects.isEmpty()) {
        throw GcsErrors.notFound(file);
      }
      for (BlobId object : objects) {
        String rest = object.getName().substring(from.prefix().length());
        move(object, BlobId.of(target.bucket(), target.prefix() + rest));
      }
    } catch (StorageException e) {
      throw GcsErrors.failure(file, e);
    }
  }

  private List<BlobId> objectsIn(GcsName folder) {
    List<BlobId> objects = new ArrayList<>();
    storage()
        .list(
            folder.bucket(),
            BlobListOption.prefix(folder.prefix()),
            BlobListOption.fields(BlobField.NAME))
        .iterateAll()
        .forEach(blob -> objects.add(BlobId.of(folder.bucket(), blob.getName())));
    return objects;
  }

  private void move(BlobId from, BlobId to) {
    if (from.equals(to)) {
      return;
    }
    var _ = storage().copy(CopyRequest.of(from, to)).getResult();
    var _ = storage().delete(from);
  }

  /** Copies {@code file}, where nothing has the name. */
  @Override
  public boolean link(String file, String to) {
    GcsName from = GcsName.parseFile(file);
    GcsName target = GcsName.parseFile(to);
    if (find(to, target.id(), BlobField.NAME).isPresent()) {
      return false; // the precondition below holds for copies that come at the same time
    }
    String writer = UUID.randomUUID().toString();
    BlobInfo info = info(target.id()).setMetadata(Map.of(WRITER, writer)).build();
    CopyRequest copy =
        CopyRequest.newBuilder()
            .setSource(from.id())
            .setTarget(info, BlobTargetOption.doesNotExist())
            .build();
    try {
      var _ = storage().copy(copy).getResult();
      return true;
    } catch (StorageException e) {
      return hasWritten(to, target.id(), writer, e);
    }
  }

  @Override
  public boolean delete(String file) {
    try {
      GcsName name = GcsName.parseFile(file);
      if (storage().delete(name.id())) {
        return true;
      }
      for (Blob blob : list(storage(), name.bucket(), name.prefix(), BlobField.NAME)) {
        if (!blob.getName().equals(name.prefix())) {
          return false; // not empty
        }
      }
      return storage().delete(name.marker());
    } catch (StorageException e) {
      return false;
    }
  }

  private Optional<Blob> find(String file, BlobId id, BlobField... fields) {
    try {
      return Optional.ofNullable(storage().get(id, BlobGetOption.fields(fields)));
    } catch (StorageException e) {
      throw GcsErrors.failure(file, e);
    }
  }

  private boolean isFolder(String file, GcsName name) {
    try {
      return storage()
          .list(
              name.bucket(),
              BlobListOption.prefix(name.prefix()),
              BlobListOption.pageSize(1),
              BlobListOption.fields(BlobField.NAME))
          .streamValues()
          .findFirst()
          .isPresent();
    } catch (StorageException e) {
      throw GcsErrors.failure(file, e);
    }
  }

  /** Reads ranges of an object. */
  private record Reader(GcsRanges ranges) implements PositionalReader {
    @Override
    public long size() {
      return ranges.size();
    }

    @Override
    public int read(ByteBuffer into, long offset) throws IOException {
      long left = ranges.size() - offset;
      if (left <= 0) {
        return -1;
      }
      int count = (int) Math.min(into.remaining(), left);
      try {
        ranges.read(offset, into.slice(into.position(), count));
      } catch (StatusException e) {
        throw GcsErrors.streamFailure(e);
      }
      into.position(into.position() + count);
      return count;
    }

    @Override
    public void close() {
      // Nothing is open between reads.
    }
  }
}
