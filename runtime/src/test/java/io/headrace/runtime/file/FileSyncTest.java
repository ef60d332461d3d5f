package io.headrace.runtime.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The syncs of files and folders of the local disk, as the JDK's flight recorder sees them. */
final class FileSyncTest {
  private static final String WRITE = "jdk.FileWrite";
  private static final String FORCE = "jdk.FileForce";

  @TempDir private Path folder;
  @TempDir private Path recordings;

  /** The writes and syncs below the folder during {@code action}, as "event path", in order. */
  private List<String> recorded(Runnable action) throws IOException {
    Path file = recordings.resolve("one.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(WRITE).withThreshold(Duration.ZERO);
      recording.enable(FORCE).withThreshold(Duration.ZERO);
      recording.start();
      action.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.hasField("path") && event.getString("path") != null)
        .filter(event -> event.getString("path").startsWith(folder.toString()))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .map(event -> event.getEventType().getName() + " " + event.getString("path"))
        .toList();
  }

  @Test
  void commit_ofAnAtomicFile_syncsItBehindItsLastByte_beforeItHasItsName() throws IOException {
    String name = folder.resolve("chunk").toString();
    List<String> events =
        recorded(() -> {
          try (AtomicFile file = AtomicFile.create(name)) {
            file.write(new byte[3 << 20], 0, 3 << 20);
            file.write(new byte[100], 0, 100);
            file.commit();
          }
        });

    assertThat(events).hasSizeGreaterThan(1);
    assertThat(events.getLast()).startsWith(FORCE + " " + name + ".tempstate");
    assertThat(Files.size(Path.of(name))).isEqualTo((3 << 20) + 100);
  }

  @Test
  void createNew_syncsItsContent() throws IOException {
    String name = folder.resolve("checkpoint").toString();

    assertThat(recorded(() -> assertThat(DataFiles.createNew(name, new byte[10])).isTrue()))
        .containsExactly(WRITE + " " + name, FORCE + " " + name);
  }

  @Test
  void syncFolder_syncsTheFolder() throws IOException {
    assertThat(recorded(() -> DataFiles.syncFolder(folder.toString())))
        .containsExactly(FORCE + " " + folder);
  }
}
