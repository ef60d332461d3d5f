package io.headrace.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Processes of Python scripts, forked from one that has imported TensorFlow, by {@code forks.py}.
 *
 * <p>Importing it takes seconds of a processor's time, more than most scripts do afterwards. Safe
 * for use by several threads.
 */
final class Forks {
  private static @Nullable Forks ofThisJvm;

  // Relative to each side's folder: the path of a socket must be short.
  private final UnixDomainSocketAddress socket;
  private final AtomicLong lastKey = new AtomicLong();
  private final Map<String, CompletableFuture<Integer>> statuses = new ConcurrentHashMap<>();

  private Forks() throws IOException {
    Path log = Files.createTempFile(TestPaths.output("logs"), "forks-", ".log");
    Path path = TestPaths.output("forks").resolve("socket");
    Files.deleteIfExists(path);
    socket = UnixDomainSocketAddress.of(Path.of("").toAbsolutePath().relativize(path));
    List<String> command =
        StockTensorFlow.command("forks.py", TestPaths.root().relativize(path).toString());
    var builder = new ProcessBuilder(command).directory(TestPaths.root().toFile());
    builder.redirectError(log.toFile()).environment().putAll(StockTensorFlow.ENVIRONMENT);
    // It ends with its standard input, and so with this JVM.
    BufferedReader output = builder.start().inputReader();
    if (!"ready".equals(output.readLine())) {
      throw new IOException("forks.py did not start: see " + log);
    }
    Thread.ofVirtual().name("ends of forks").start(() -> readStatuses(output));
  }

  /** Starts a script with its arguments; its standard error is appended to {@code log}. */
  static Process start(List<String> script, Path log) throws IOException {
    return get().fork(script, log);
  }

  private static synchronized Forks get() throws IOException {
    if (ofThisJvm == null) {
      ofThisJvm = new Forks();
    }
    return ofThisJvm;
  }

  private Process fork(List<String> script, Path log) throws IOException {
    String key = Long.toString(lastKey.incrementAndGet());
    CompletableFuture<Integer> status = new CompletableFuture<>();
    statuses.put(key, status);
    SocketChannel channel = SocketChannel.open(socket);
    OutputStream input = Channels.newOutputStream(channel);
    StringBuilder request = new StringBuilder().append(script.size() + 2).append('\0');
    request.append(key).append('\0').append(log).append('\0');
    script.forEach(word -> request.append(word).append('\0'));
    input.write(request.toString().getBytes(UTF_8));
    InputStream output = Channels.newInputStream(channel);
    long pid = 0;
    for (int digit = output.read(); digit != '\n'; digit = output.read()) {
      if (digit < 0) {
        throw new IOException("forks.py did not start " + script);
      }
      pid = pid * 10 + digit - '0';
    }
    return new Fork(pid, input, output, status);
  }

  private void readStatuses(BufferedReader output) {
    try (output) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        int end = line.lastIndexOf(' ');
        String key = line.substring("ended ".length(), end);
        requireNonNull(statuses.remove(key), line)
            .complete(Integer.valueOf(line.substring(end + 1)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      statuses.values().forEach(status -> status.cancel(true));
    }
  }

  /** A process that is not a child of this JVM. */
  private static final class Fork extends Process {
    private final long pid;
    // Absent if it has ended already.
    private final Optional<ProcessHandle> handle;
    private final OutputStream input;
    private final InputStream output;
    private final CompletableFuture<Integer> status;

    Fork(long pid, OutputStream input, InputStream output, CompletableFuture<Integer> status) {
      this.pid = pid;
      this.handle = ProcessHandle.of(pid);
      this.input = input;
      this.output = output;
      this.status = status;
    }

    @Override
    public OutputStream getOutputStream() {
      return input;
    }

    @Override
    public InputStream getInputStream() {
      return output;
    }

    @Override
    public InputStream getErrorStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public int waitFor() throws InterruptedException {
      var _ = waitFor(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
      return exitValue();
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
      try {
        var _ = status.get(timeout, unit);
        return true;
      } catch (TimeoutException e) {
        return false;
      } catch (ExecutionException | CancellationException e) {
        throw new IllegalStateException("forks.py ended before the process " + pid, e);
      }
    }

    @Override
    public int exitValue() {
      if (!status.isDone()) {
        throw new IllegalThreadStateException(pid + " still runs");
      }
      return status.join();
    }

    @Override
    public boolean isAlive() {
      return !status.isDone();
    }

    @Override
    public long pid() {
      return pid;
    }

    @Override
    public ProcessHandle toHandle() {
      return handle.orElseThrow(() -> new IllegalStateException(pid + " has ended"));
    }

    @Override
    public Stream<ProcessHandle> descendants() {
      return handle.stream().flatMap(ProcessHandle::descendants);
    }

    @Override
    public void destroy() {
      handle.ifPresent(ProcessHandle::destroy);
    }

    @Override
    public Process destroyForcibly() {
      handle.ifPresent(ProcessHandle::destroyForcibly);
      return this;
    }
  }
}
