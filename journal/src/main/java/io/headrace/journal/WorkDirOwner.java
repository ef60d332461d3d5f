package io.headrace.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The present or last process to use a work_dir, as in its file {@code owner}.
 *
 * @param host the host's name
 * @param pid the process id
 * @param started the start of the process, in ISO 8601
 * @param epoch the journal's epoch; 0 before it was first opened
 */
record WorkDirOwner(String host, long pid, String started, long epoch) {
  /** The size of the file: one sector, so writes are atomic. */
  static final int BYTES = 512;

  private static final String TITLE = "headrace journal ";
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final int MAX_HOST_LENGTH = 255;

  WorkDirOwner {
    host = host.substring(0, Math.min(host.length(), MAX_HOST_LENGTH));
  }

  /** This process. */
  static WorkDirOwner current() {
    ProcessHandle process = ProcessHandle.current();
    String started = process.info().startInstant().map(Instant::toString).orElse("unknown");
    return new WorkDirOwner(hostName(), process.pid(), started, 0);
  }

  WorkDirOwner withEpoch(long newEpoch) {
    return new WorkDirOwner(host, pid, started, newEpoch);
  }

  @Override
  public String toString() {
    return "process " + pid + " on host " + host + ", started " + started;
  }

  /** The file's content. */
  byte[] toBytes() {
    String text =
        "%s%d%nhost %s%npid %d%nstarted %s%nepoch %d%n"
            .formatted(TITLE, JournalHeader.FORMAT, host, pid, started, epoch);
    byte[] bytes = text.getBytes(UTF_8);
    byte[] file = Arrays.copyOf(bytes, BYTES);
    Arrays.fill(file, Math.min(bytes.length, BYTES), BYTES, (byte) '\n');
    return file;
  }

  /**
   * Parses a file's content.
   *
   * @throws StatusException FAILED_PRECONDITION if the file is foreign or of another format
   */
  static WorkDirOwner parse(Path file, byte[] content) {
    String text = new String(content, UTF_8);
    requireFormat(file, text.lines().findFirst().orElse(""));
    Map<String, String> fields =
        text.lines()
            .filter(line -> line.contains(" "))
            .collect(
                Collectors.toMap(
                    line -> line.substring(0, line.indexOf(' ')),
                    line -> line.substring(line.indexOf(' ') + 1),
                    (first, _) -> first));
    return new WorkDirOwner(
        fields.getOrDefault("host", "unknown"),
        number(file, fields.getOrDefault("pid", "0")),
        fields.getOrDefault("started", "unknown"),
        number(file, fields.getOrDefault("epoch", "0")));
  }

  private static long number(Path file, String digits) {
    if (!digits.matches("\\d{1,18}")) {
      throw foreign(file);
    }
    return Long.parseLong(digits);
  }

  private static void requireFormat(Path file, String title) {
    if (!title.matches(TITLE + "\\d{1,9}")) {
      throw foreign(file);
    }
    int format = Integer.parseInt(title.substring(TITLE.length()));
    if (format != JournalHeader.FORMAT) {
      throw otherFormat(file, format);
    }
  }

  static StatusException otherFormat(Path file, int format) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "%s is of journal format %d, and this version of Headrace reads format %d only",
        file,
        format,
        JournalHeader.FORMAT);
  }

  private static StatusException foreign(Path file) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "%s was not written by Headrace; give a work_dir of its own, which may be empty or missing",
        file);
  }

  private static String hostName() {
    try {
      if (Files.isReadable(HOST_NAME)) {
        return Files.readString(HOST_NAME).strip();
      }
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return String.valueOf(e.getMessage()).replaceAll(":.*", "");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
