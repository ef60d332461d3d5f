package io.headrace.cli;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The command, or another program, as a process, started as the launcher does. */
final class HeadraceProcess implements AutoCloseable {
  // The first process that ends in order writes it; later ones start in two thirds of the time.
  private static final Path ARCHIVE = newArchive();
  private static final String CLASS_PATH = packedClassPath();

  private final Process process;
  private final BufferedWriter in;
  private final BufferedReader out;
  private final BufferedReader err;

  private HeadraceProcess(Process process) {
    this.process = process;
    this.in = process.outputWriter();
    this.out = process.inputReader();
    this.err = process.errorReader();
  }

  static HeadraceProcess start(String... args) throws IOException {
    return start(Headrace.class, args);
  }

  /** Starts another program of this class path. */
  static HeadraceProcess start(Class<?> program, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xlog:disable"));
    command.addAll(List.of("-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + ARCHIVE));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("--sun-misc-unsafe-memory-access=allow"));
    command.addAll(List.of("-cp", CLASS_PATH));
    command.add(program.getName());
    command.addAll(List.of(args));
    return new HeadraceProcess(new ProcessBuilder(command).start());
  }

  /** Reads the ready line, the next line of standard output; returns the port in it. */
  int awaitReady() throws IOException {
    @Nullable String line = out.readLine();
    if (line == null || !line.startsWith("ready grpc://")) {
      throw new AssertionError("not ready but: " + line + restOf(err));
    }
    return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
  }

  /**
   * Reads standard output up to a line that begins with {@code start}; returns the rest of that
   * line.
   */
  String awaitOutput(String start) throws IOException {
    @Nullable String line = out.readLine();
    while (line != null && !line.startsWith(start)) {
      line = out.readLine();
    }
    if (line == null) {
      throw new AssertionError("it ended without saying " + start + restOf(err));
    }
    return line.substring(start.length());
  }

  /** Reads standard output up to a line that contains {@code words}. */
  void awaitStep(String words) throws IOException {
    @Nullable String line = out.readLine();
    while (line != null && !line.contains(words)) {
      line = out.readLine();
    }
    if (line == null) {
      throw new AssertionError("it ended without saying " + words + restOf(err));
    }
  }

  /** The running child processes. */
  List<ProcessHandle> children() {
    return process.descendants().toList();
  }

  /** Writes a line to its standard input. */
  void tell(String line) throws IOException {
    in.write(line);
    in.newLine();
    in.flush();
  }

  /** Reads standard error up to a line that contains {@code words}. */
  void awaitError(String words) throws IOException {
    var _ = awaitErrorAfter(words);
  }

  /** Reads standard error up to a line that contains {@code words}; returns what follows them. */
  String awaitErrorAfter(String words) throws IOException {
    @Nullable String line = err.readLine();
    while (line != null && !line.contains(words)) {
      line = err.readLine();
    }
    if (line == null) {
      throw new AssertionError("it ended without saying " + words);
    }
    return line.substring(line.indexOf(words) + words.length());
  }

  /** Sends SIGTERM. */
  HeadraceProcess terminate() {
    process.toHandle().destroy();
    return this;
  }

  /** Sends SIGKILL, and waits for the end. */
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    process.waitFor();
  }

  long pid() {
    return process.pid();
  }

  /** Waits for the end; returns the exit status and the unread output. */
  CommandRun awaitEnd() throws InterruptedException {
    String written = restOf(out);
    String said = restOf(err);
    return new CommandRun(process.waitFor(), written, said);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The path of an archive that no earlier run has left: one of other jars is not replaced. */
  private static Path newArchive() {
    try {
      Path archive = Path.of("target", "processes.jsa").toAbsolutePath();
      Files.deleteIfExists(archive);
      return archive;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The class path with jars instead of folders, whose classes HotSpot does not archive. */
  private static String packedClassPath() {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      // Surefire's ends with a separator; the empty entry after it would be the current folder.
      if (!entry.isEmpty()) {
        Path path = Path.of(entry);
        entries.add(Files.isDirectory(path) ? pack(path) : entry);
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static String pack(Path folder) {
    Path jar = folder.resolveSibling(folder.getFileName() + ".packed.jar");
    try (Stream<Path> files = Files.walk(folder);
        var out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(folder.relativize(file).toString()));
        Files.copy(file, out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return jar.toString();
  }

  private static String restOf(BufferedReader reader) {
    try {
      return reader.readAllAsString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
