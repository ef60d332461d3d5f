package io.headrace.runtime.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReservedFoldersTest {
  @TempDir private Path folder;
  private Path reserved;
  private ReservedFolders.Reservation reservation;

  @BeforeEach
  void reserve() throws IOException {
    reserved = Files.createDirectories(folder.resolve("work"));
    Files.writeString(reserved.resolve("owner"), "secret");
    Files.writeString(folder.resolve("data"), "data");
    reservation = ReservedFolders.reserve(reserved);
  }

  @AfterEach
  void release() {
    reservation.close();
  }

  private static void assertRefused(ThrowingCallable access) {
    assertThatThrownBy(access)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("keeps for itself");
  }

  @Test
  void read_beside_isAllowed() {
    assertThat(DataFiles.read(folder + "/data")).asString().isEqualTo("data");
  }

  @Test
  void read_within_isRefused() {
    assertRefused(() -> DataFiles.read(reserved + "/owner"));
  }

  @Test
  void read_throughDots_isRefused() throws IOException {
    Files.createDirectories(folder.resolve("other"));

    assertRefused(() -> DataFiles.read(folder + "/other/../work/./owner"));
  }

  @Test
  void read_throughALink_isRefused() throws IOException {
    Files.createSymbolicLink(folder.resolve("link"), reserved.resolve("owner"));
    Files.createSymbolicLink(folder.resolve("way"), reserved);

    assertRefused(() -> DataFiles.read(folder + "/link"));
    assertRefused(() -> DataFiles.read(folder + "/way/owner"));
  }

  @Test
  void read_afterTheRelease_isAllowed() {
    reservation.close();

    assertThat(DataFiles.read(reserved + "/owner")).asString().isEqualTo("secret");
  }

  @Test
  void write_ofANewFileWithin_isRefused() {
    assertRefused(() -> DataFiles.write(reserved + "/new", new byte[1]));
    assertRefused(() -> DataFiles.createFolders(folder + "/missing/../work/new"));
    assertThat(reserved)
        .isDirectoryContaining("glob:**owner")
        .isDirectoryNotContaining("glob:**new");
  }

  @Test
  void matching_beside_isAllowed() {
    assertThat(DataFiles.matching(folder + "/d*", new Cancellation()))
        .containsExactly(folder + "/data");
  }

  @Test
  void matching_within_isRefused() {
    assertRefused(() -> DataFiles.matching(reserved + "/*", new Cancellation()));
    assertRefused(() -> DataFiles.matching(folder + "/*/owner", new Cancellation()));
    assertRefused(() -> DataFiles.matching(folder + "/*/o*", new Cancellation()));
  }
}
