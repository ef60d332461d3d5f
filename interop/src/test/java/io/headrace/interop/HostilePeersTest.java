package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringTokenizer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Malformed requests fail for their senders and cost the servers neither threads nor memory. */
final class HostilePeersTest {
  private static final int N = 20_000;
  private static final long ROOM_BYTES = 24 << 20;
  private static final int ROOM_THREADS = 4;
  private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final Servers servers = new Servers();

  @AfterEach
  void stopServers() {
    servers.close();
  }

  @Test
  void hostilePeers_leaveAReaderItsElements_andTheServersTheirMemory()
      throws InterruptedException, IOException {
    String dispatcher = servers.startHeadraceDispatcher();
    long dispatcherPid = servers.lastPid();
    String worker = servers.startHeadraceWorker(dispatcher);
    long workerPid = servers.lastPid();
    ManagedProcess client = servers.startCounting(dispatcher, N);
    client.awaitLine("reading", 180);
    // A first round fills the pools of threads, the collector's and the event loops' among them.
    sendHostileRequests(dispatcher, worker);
    Use before = Use.of(dispatcherPid, workerPid);

    sendHostileRequests(dispatcher, worker);

    assertThat(client.awaitLine("end", 300)).isEqualTo(" " + N + " " + N);
    Use after = Use.of(dispatcherPid, workerPid);
    long deadline = System.nanoTime() + SETTLING_NANOS;
    while (!after.isAtMost(before) && System.nanoTime() < deadline) {
      TimeUnit.SECONDS.sleep(2);
      after = Use.of(dispatcherPid, workerPid);
    }
    assertThat(after.isAtMost(before)).as("before %s, after %s", before, after).isTrue();
  }

  private void sendHostileRequests(String dispatcher, String worker)
      throws InterruptedException, IOException {
    ManagedProcess hostile = servers.startHostile(dispatcher, worker);
    assertThat(hostile.awaitLine("done", 300)).isNotBlank();
  }

  /** The threads and live heap bytes of the two processes. */
  private record Use(int threads, long bytes) {
    static Use of(long first, long second) throws IOException, InterruptedException {
      // jcmd starts a thread in the process that it asks, which stays.
      long bytes = liveBytes(first) + liveBytes(second);
      return new Use(threads(first) + threads(second), bytes);
    }

    boolean isAtMost(Use before) {
      return threads <= before.threads + ROOM_THREADS && bytes <= before.bytes + ROOM_BYTES;
    }

    private static int threads(long pid) throws IOException {
      try (var tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
        return (int) tasks.count();
      }
    }

    /** Parses the last line, "Total INSTANCES BYTES", of the histogram after a full collection. */
    private static long liveBytes(long pid) throws IOException, InterruptedException {
      String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
      Process histogram =
          new ProcessBuilder(jcmd, Long.toString(pid), "GC.class_histogram")
              .redirectErrorStream(true)
              .start();
      String total = "";
      try (var lines = histogram.inputReader()) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          total = line.startsWith("Total") ? line : total;
        }
      }
      assertThat(histogram.waitFor()).isZero();
      var columns = new StringTokenizer(total);
      columns.nextToken();
      columns.nextToken();
      return Long.parseLong(columns.nextToken());
    }
  }
}
