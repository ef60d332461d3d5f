package io.headrace.examples;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A dispatcher and workers as processes of this machine, each started as {@code headrace} would be.
 * Closing it stops them all.
 */
final class LocalCluster implements AutoCloseable {
  private static final String READY = "ready ";
  private static final int START_SECONDS = 60;
  private static final int STOP_SECONDS = 10;

  private final List<String> command;
  private final List<Process> processes = new ArrayList<>();
  private String target = "";

  private LocalCluster(List<String> command) {
    this.command = List.copyOf(command);
  }

  /**
   * Starts a dispatcher and {@code workers} workers, and waits until they serve.
   *
   * @param command what runs {@code headrace}, without its arguments
   */
  static LocalCluster start(List<String> command, int workers) {
    LocalCluster cluster = new LocalCluster(command);
    Thread hook = new Thread(cluster::close, "stop-cluster");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      cluster.target = cluster.server("dispatcher", "--port=0").get();
      List<CompletableFuture<String>> starting = new ArrayList<>();
      String address = cluster.target.substring(cluster.target.indexOf("://") + 3);
      for (int i = 0; i < workers; i++) {
        starting.add(cluster.server("worker", "--dispatcher-address=" + address, "--port=0"));
      }
      for (CompletableFuture<String> worker : starting) {
        worker.get();
      }
      return cluster;
    } catch (ExecutionException | IOException e) {
      cluster.close();
      throw new StatusException(
          StatusCode.UNAVAILABLE, "the cluster did not start: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      cluster.close();
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "interrupted", e);
    }
  }

  /** The dispatcher's target. */
  String target() {
    return target;
  }

  private CompletableFuture<String> server(String... arguments) throws IOException {
    List<String> whole = new ArrayList<>(command);
    whole.addAll(List.of(arguments));
    whole.add("--log-level=warning");
    Process process = new ProcessBuilder(whole).redirectError(Redirect.INHERIT).start();
    synchronized (processes) {
      processes.add(process);
    }
    return CompletableFuture.supplyAsync(() -> awaitReady(process, arguments[0]))
        .orTimeout(START_SECONDS, TimeUnit.SECONDS);
  }

  private static String awaitReady(Process process, String what) {
    try {
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = out.readLine();
      if (line == null || !line.startsWith(READY)) {
        throw StatusException.of(
            StatusCode.UNAVAILABLE, "the %s said %s and not that it is ready", what, line);
      }
      return line.substring(READY.length());
    } catch (IOException e) {
      throw new StatusException(StatusCode.UNAVAILABLE, "the " + what + " did not start", e);
    }
  }

  /** Stops every process, workers first; kills what does not stop in time. Idempotent. */
  @Override
  public void close() {
    List<Process> toStop;
    synchronized (processes) {
      toStop = new ArrayList<>(processes).reversed();
      processes.clear();
    }
    toStop.forEach(Process::destroy);
    for (Process process : toStop) {
      try {
        process.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException | ExecutionException e) {
        process.destroyForcibly();
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
