package io.headrace.examples;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** A dispatcher and its workers as local processes, which feed trainers. Closing it stops them. */
final class LocalDataService implements AutoCloseable {
  private final ServerProcesses processes;
  private final String target;

  private LocalDataService(ServerProcesses processes, String target) {
    this.processes = processes;
    this.target = target;
  }

  /**
   * Starts a dispatcher and {@code workers} workers, and waits until they serve.
   *
   * @param command the command line of {@code headrace}, without its arguments
   */
  static LocalDataService start(List<String> command, int workers) {
    ServerProcesses processes = new ServerProcesses(command);
    try {
      String target = startAll(processes, workers);
      return new LocalDataService(processes, target);
    } catch (RuntimeException e) {
      processes.close();
      throw e;
    }
  }

  private static String startAll(ServerProcesses processes, int workers) {
    String target =
        ServerProcesses.await(List.of(processes.start(List.of("dispatcher", "--port=0"))))
            .getFirst();
    String address = target.substring(target.indexOf("://") + 3);
    List<CompletableFuture<String>> starting =
        Stream.generate(() -> List.of("worker", "--dispatcher-address=" + address, "--port=0"))
            .limit(workers)
            .map(processes::start)
            .toList();
    var _ = ServerProcesses.await(starting);
    return target;
  }

  /** The dispatcher's target. */
  String target() {
    return target;
  }

  /** Stops every process, workers first; kills those that do not stop in time. Idempotent. */
  @Override
  public void close() {
    processes.close();
  }
}
