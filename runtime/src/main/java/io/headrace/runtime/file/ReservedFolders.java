package io.headrace.runtime.file;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The folders that this process keeps for itself, such as the work_dir of a dispatcher. Ops neither
 * read nor write nor list what is in them: their contents are nobody's data, and closing a file
 * that somebody else has locked would release the lock. Of local folders real paths are compared,
 * so neither a symbolic link nor {@code ..} leads around it; folders of services are compared by
 * name. Thread-safe.
 */
public final class ReservedFolders {
  private static final List<Reservation> RESERVED = new CopyOnWriteArrayList<>();
  private static final List<RemoteReservation> REMOTE = new CopyOnWriteArrayList<>();

  private ReservedFolders() {}

  /** A reserved folder, until it is closed. Closing twice does no harm. */
  public static final class Reservation implements AutoCloseable {
    private final Path folder;

    private Reservation(Path folder) {
      this.folder = folder;
    }

    @Override
    public void close() {
      RESERVED.remove(this);
    }
  }

  /** A reserved folder of a service, until it is closed. Closing twice does no harm. */
  public static final class RemoteReservation implements AutoCloseable {
    private final String folder;

    private RemoteReservation(String folder) {
      this.folder = folder;
    }

    @Override
    public void close() {
      REMOTE.remove(this);
    }
  }

  /** Reserves the folder {@code name}, which has a scheme, such as {@code gs://bucket/folder}. */
  public static RemoteReservation reserveRemote(String name) {
    RemoteReservation reservation = new RemoteReservation(name.endsWith("/") ? name : name + "/");
    REMOTE.add(reservation);
    return reservation;
  }

  /** The same as {@link #check} for a name with a scheme. */
  static void checkRemote(String name) {
    for (RemoteReservation reserved : REMOTE) {
      if ((name + "/").startsWith(reserved.folder)) {
        throw refusal(name, reserved.folder);
      }
    }
  }

  private static StatusException refusal(Object file, Object folder) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "%s is in %s, which this process keeps for itself: no op may touch it; keep data in other"
            + " folders",
        file,
        folder);
  }

  /** Reserves {@code folder}, which exists. */
  public static Reservation reserve(Path folder) throws IOException {
    Reservation reservation = new Reservation(folder.toRealPath());
    RESERVED.add(reservation);
    return reservation;
  }

  /** FAILED_PRECONDITION, naming {@code file}, if it is a reserved folder or in one. */
  public static void check(Path file) {
    if (RESERVED.isEmpty()) {
      return;
    }
    Path real = real(file.toAbsolutePath());
    // A name that does not exist yet may lead into the folder through `..` once it does.
    Path normal = real(file.toAbsolutePath().normalize());
    for (Reservation reserved : RESERVED) {
      if (real.startsWith(reserved.folder) || normal.startsWith(reserved.folder)) {
        throw refusal(file, reserved.folder);
      }
    }
  }

  /** The real path of the part of {@code file} that exists, followed by the rest. */
  private static Path real(Path file) {
    for (@Nullable Path part = file; part != null; part = part.getParent()) {
      Optional<Path> real = realIfThere(part);
      if (real.isPresent()) {
        return real.get().resolve(part.relativize(file)).normalize();
      }
    }
    return file.normalize();
  }

  /** Empty if {@code file} is not there, or is hidden from this process, as it is from ops. */
  private static Optional<Path> realIfThere(Path file) {
    try {
      return Optional.of(file.toRealPath());
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
