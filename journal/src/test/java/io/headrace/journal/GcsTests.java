package io.headrace.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.emulator.FakeGcsServer;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** Base of the tests with a shared emulator; each test has its own bucket. */
abstract class GcsTests {
  /** Short timeouts and intervals. */
  static final GcsSettings HASTY =
      new GcsSettings(
          Duration.ofMillis(600), Duration.ofMillis(1500), Duration.ofMillis(100), 6, 64);

  GcsLocation location;

  @BeforeEach
  void makeBucket() {
    location = newLocation();
  }

  /** A location in a new bucket. */
  static GcsLocation newLocation() {
    try {
      return GcsLocation.parse(
          "gs://" + emulator().newBucket() + "/some/path", emulator().endpoint());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static FakeGcsServer emulator() {
    return Emulator.SHARED;
  }

  static GcsJournal open(GcsLocation location, GcsSettings settings) {
    return open(location, settings, "host");
  }

  /** Opens a journal as a process on the host {@code name}. */
  static GcsJournal open(GcsLocation location, GcsSettings settings, String name) {
    return GcsJournal.open(
        location, settings, SystemTicker.INSTANCE, new WorkDirOwner(name, 7, "then", 0));
  }

  /** The names of all objects. */
  List<String> objects() {
    try (GcsBucket bucket = bucket()) {
      return bucket.list("");
    } catch (GcsFailure e) {
      throw new AssertionError(e);
    }
  }

  GcsBucket bucket() {
    return GcsBucket.connect(location, Duration.ofSeconds(10));
  }

  static void assertCode(Throwable failure, StatusCode code) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    Throwable status = failure instanceof StatusException ? failure : cause;
    assertThat(status)
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  /** The emulator starts with the first test and ends with this process. */
  private static final class Emulator {
    static final FakeGcsServer SHARED = start();

    private static FakeGcsServer start() {
      try {
        FakeGcsServer server = FakeGcsServer.start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return server;
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
