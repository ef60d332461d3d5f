package io.headrace.gcs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.emulator.FakeGcsServer;
import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.file.PositionalReader;
import io.headrace.runtime.file.ReservedFolders;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of gs:// (in the emulator fake-gcs-server) do as local files do. */
@SuppressWarnings("InterruptedExceptionSwallowed") // JUnit accepts any exception
final class GcsFileSystemTest {
  private static FakeGcsServer server;

  @TempDir private Path local;

  @BeforeAll
  static void start() throws Exception {
    server = FakeGcsServer.start();
    System.setProperty(GcsFileSystem.ENDPOINT_PROPERTY, server.endpoint());
  }

  @AfterAll
  static void stop() {
    System.clearProperty(GcsFileSystem.ENDPOINT_PROPERTY);
    server.close();
  }

  /** A new folder of the file system. */
  private String folder(String scheme) throws Exception {
    return scheme.equals("gs") ? "gs://" + server.newBucket() + "/data" : local + "/data";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(String file) {
    return new String(DataFiles.read(file), UTF_8);
  }

  private static void assertFails(StatusCode code, String part, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> {
              assertThat(e.code()).as(e.toString()).isEqualTo(code);
              assertThat(e).hasMessageContaining(part);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void writtenFile_isRead_andHasItsSize(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder);
    DataFiles.write(folder + "/a", bytes("one"));
    DataFiles.write(folder + "/a", bytes("second"));

    assertThat(text(folder + "/a")).isEqualTo("second");
    assertThat(DataFiles.attributes(folder + "/a"))
        .satisfies(attributes -> {
          assertThat(attributes.isFile()).isTrue();
          assertThat(attributes.isFolder()).isFalse();
          assertThat(attributes.size()).isEqualTo(6);
          assertThat(attributes.modifiedMillis()).isGreaterThan(1_700_000_000_000L);
        });
    assertThat(DataFiles.attributes(folder).isFolder()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void missingFile_isNotFound_andAFolderIsNoFile(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder + "/inner");

    assertFails(StatusCode.NOT_FOUND, folder + "/none", () -> DataFiles.read(folder + "/none"));
    assertFails(
        StatusCode.NOT_FOUND, folder + "/none", () -> DataFiles.attributes(folder + "/none"));
    assertFails(StatusCode.NOT_FOUND, folder + "/none", () -> DataFiles.names(folder + "/none"));
    assertFails(StatusCode.FAILED_PRECONDITION, "directory", () -> DataFiles.read(folder));
    assertThat(DataFiles.exists(folder + "/none")).isFalse();
    assertThat(DataFiles.exists(folder)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void largeFile_isReadAsItWasWritten_inParts(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder);
    byte[] content = new byte[(9 << 20) + 12_345];
    new Random(7).nextBytes(content);
    try (OutputStream out = DataFiles.replace(folder + "/large")) {
      out.write(content[0]);
      out.write(content, 1, 5_000_000);
      out.write(content, 5_000_001, content.length - 5_000_001);
    }

    try (InputStream in = DataFiles.open(folder + "/large").bytes()) {
      assertThat(in.read()).isEqualTo(content[0] & 0xff);
      assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 1, content.length));
      assertThat(in.read()).isEqualTo(-1);
    }
    try (PositionalReader reader = DataFiles.openPositional(folder + "/large")) {
      assertThat(reader.size()).isEqualTo(content.length);
      ByteBuffer part = ByteBuffer.allocate(1000);
      while (part.hasRemaining()) {
        assertThat(reader.read(part, 8_000_000 + part.position())).isPositive();
      }
      assertThat(part.array()).isEqualTo(Arrays.copyOfRange(content, 8_000_000, 8_001_000));
      assertThat(reader.read(ByteBuffer.allocate(1), content.length)).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void emptyFile_isRead(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder);
    DataFiles.replace(folder + "/empty").close();

    assertThat(DataFiles.read(folder + "/empty")).isEmpty();
    assertThat(DataFiles.exists(folder + "/empty")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void createNew_succeedsOnce_alsoAmongMany(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder);
    List<CompletableFuture<Boolean>> tries =
        IntStream.range(0, 8)
            .mapToObj(i ->
                CompletableFuture.supplyAsync(
                    () -> DataFiles.createNew(folder + "/new", bytes("writer " + i))))
            .toList();

    assertThat(tries.stream().filter(CompletableFuture::join)).hasSize(1);
    int winner = IntStream.range(0, 8).filter(i -> tries.get(i).join()).findFirst().orElseThrow();
    assertThat(text(folder + "/new")).isEqualTo("writer " + winner);
    assertFails(
        StatusCode.FAILED_PRECONDITION, "exists", () -> DataFiles.create(folder + "/new").close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void link_givesTheNameOnce_andRenameReplaces(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder);
    DataFiles.write(folder + "/a", bytes("a"));
    DataFiles.write(folder + "/b", bytes("b"));

    assertThat(DataFiles.link(folder + "/a", folder + "/target")).isTrue();
    assertThat(DataFiles.link(folder + "/b", folder + "/target")).isFalse();
    assertThat(text(folder + "/target")).isEqualTo("a");
    DataFiles.rename(folder + "/b", folder + "/target");
    assertThat(text(folder + "/target")).isEqualTo("b");
    assertThat(DataFiles.exists(folder + "/b")).isFalse();
    assertFails(
        StatusCode.NOT_FOUND,
        folder + "/",
        () -> DataFiles.rename(folder + "/b", folder + "/target"));
    assertFails(
        StatusCode.NOT_FOUND, folder + "/", () -> DataFiles.link(folder + "/b", folder + "/c"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void folder_isRenamedWithItsFiles_andDeletedWhenItIsEmpty(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder + "/old/inner");
    DataFiles.write(folder + "/old/inner/a", bytes("a"));

    DataFiles.rename(folder + "/old", folder + "/moved");

    assertThat(DataFiles.exists(folder + "/old")).isFalse();
    assertThat(text(folder + "/moved/inner/a")).isEqualTo("a");
    assertThat(DataFiles.delete(folder + "/moved")).isFalse();
    assertThat(DataFiles.delete(folder + "/moved/inner/a")).isTrue();
    assertThat(DataFiles.delete(folder + "/moved/inner")).isTrue();
    assertThat(DataFiles.delete(folder + "/moved/inner")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void names_areThoseInTheFolderItself(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder + "/inner/deep");
    DataFiles.write(folder + "/b", bytes("b"));
    DataFiles.write(folder + "/a", bytes("a"));
    DataFiles.write(folder + "/inner/deep/c", bytes("c"));

    assertThat(DataFiles.names(folder)).containsExactly("a", "b", "inner");
    assertThat(DataFiles.names(folder + "/inner")).containsExactly("deep");
    DataFiles.createFolder(folder + "/void");
    assertThat(DataFiles.names(folder + "/void")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void patterns_matchWithinComponents(String scheme) throws Exception {
    String folder = folder(scheme);
    for (String name :
        List.of("x/part-0", "x/part-1", "x/other", "y/part-0", "y/deep/part-2", "part-3")) {
      DataFiles.createFolders(DataFiles.folderOf(folder + "/" + name));
      DataFiles.write(folder + "/" + name, bytes(name));
    }
    Cancellation none = new Cancellation();

    assertThat(DataFiles.matching(folder + "/x/part-*", none))
        .containsExactly(folder + "/x/part-0", folder + "/x/part-1");
    assertThat(DataFiles.matching(folder + "/*/part-?", none))
        .containsExactly(folder + "/x/part-0", folder + "/x/part-1", folder + "/y/part-0");
    assertThat(DataFiles.matching(folder + "/[!x]/part-0", none))
        .containsExactly(folder + "/y/part-0");
    assertThat(DataFiles.matching(folder + "/*", none))
        .containsExactly(folder + "/part-3", folder + "/x", folder + "/y");
    assertThat(DataFiles.matching(folder + "/x/other", none)).containsExactly(folder + "/x/other");
    assertThat(DataFiles.matching(folder + "/x/none", none)).isEmpty();
    assertThat(DataFiles.matching(folder + "/none/*", none)).isEmpty();
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    assertFails(StatusCode.CANCELLED, "", () -> DataFiles.matching(folder + "/x/*", cancelled));
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "gs"})
  void atomicFile_appearsWithItsCommit(String scheme) throws Exception {
    String folder = folder(scheme);
    DataFiles.createFolders(folder);
    try (AtomicFile file = AtomicFile.create(folder + "/given-up")) {
      file.write(bytes("half"), 0, 4);
    }
    try (AtomicFile file = AtomicFile.create(folder + "/whole")) {
      file.write(bytes("whole"), 0, 5);
      assertThat(DataFiles.exists(folder + "/whole")).isFalse();
      file.commit();
    }

    assertThat(DataFiles.names(folder)).containsExactly("whole");
    assertThat(text(folder + "/whole")).isEqualTo("whole");
  }

  @Test
  void fileThatIsReplacedWhileItIsRead_fails_insteadOfMixingBothVersions() throws Exception {
    String file = folder("gs") + "/file";
    DataFiles.write(file, new byte[8 << 20]);
    try (PositionalReader reader = DataFiles.openPositional(file)) {
      assertThat(reader.read(ByteBuffer.allocate(1000), 0)).isEqualTo(1000);
      DataFiles.write(file, new byte[9 << 20]);

      assertThatThrownBy(() -> reader.read(ByteBuffer.allocate(1000), 1000))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file)
          .hasCauseInstanceOf(StatusException.class);
    }
  }

  @Test
  void closedStream_ends() throws Exception {
    String file = folder("gs") + "/file";
    DataFiles.write(file, new byte[3 << 20]);
    InputStream in = DataFiles.open(file).bytes();
    assertThat(in.readNBytes(1000)).hasSize(1000);
    in.close();
    in.close();

    assertThatThrownBy(in::readAllBytes).isInstanceOf(IOException.class).hasMessageContaining(file);
  }

  @Test
  void nameWithoutBucketOrObject_isInvalid() {
    assertFails(StatusCode.INVALID_ARGUMENT, "bucket name", () -> DataFiles.read("gs:///file"));
    assertFails(StatusCode.INVALID_ARGUMENT, "object name", () -> DataFiles.read("gs://bucket/"));
    assertFails(
        StatusCode.NOT_FOUND, "gs://no-such-bucket", () -> DataFiles.read("gs://no-such-bucket/f"));
    assertFails(StatusCode.UNIMPLEMENTED, "s3://", () -> DataFiles.read("s3://bucket/file"));
  }

  @Test
  void reservedFolder_isRefused_whateverPatternFindsIt() throws Exception {
    String folder = folder("gs");
    DataFiles.write(folder + "/journal/log", bytes("secret"));
    DataFiles.write(folder + "/journals", bytes("public"));
    try (var _ = ReservedFolders.reserveRemote(folder + "/journal")) {
      for (String name : List.of("journal/log", "journal", "journal/", "journal/*")) {
        assertFails(
            StatusCode.FAILED_PRECONDITION,
            "keeps for itself",
            () -> DataFiles.matching(folder + "/" + name, new Cancellation()));
      }
      assertFails(
          StatusCode.FAILED_PRECONDITION,
          "keeps for itself",
          () -> DataFiles.matching(folder + "/*/log", new Cancellation()));
      assertFails(
          StatusCode.FAILED_PRECONDITION,
          "keeps for itself",
          () -> DataFiles.write(folder + "/journal/new", bytes("forged")));
      assertThat(text(folder + "/journals")).isEqualTo("public");
    }
    assertThatCode(() -> DataFiles.read(folder + "/journal/log")).doesNotThrowAnyException();
  }

  @Test
  void serviceThatIsNotThere_isUnavailable() {
    GcsFileSystem away = GcsFileSystem.at("http://127.0.0.1:1", Duration.ofMillis(300));

    assertFails(StatusCode.UNAVAILABLE, "gs://bucket/file", () -> away.open("gs://bucket/file"));
  }
}
