package io.headrace.interop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * The servers of one test class, stock's and Headrace's, each a process of its own.
 *
 * <p>Addresses are HOST:PORT. Closing kills them all, the last one first.
 */
final class Servers implements AutoCloseable {
  private final Deque<ManagedProcess> processes = new ArrayDeque<>();

  String startStockDispatcher() throws InterruptedException {
    return start("stock-dispatcher", StockTensorFlow.command("stock_dispatcher.py"));
  }

  String startStockWorker(String dispatcher) throws InterruptedException {
    return start("stock-worker", StockTensorFlow.command("stock_worker.py", dispatcher));
  }

  String startHeadraceDispatcher(String... flags) throws InterruptedException {
    return start("headrace-dispatcher", Headrace.command("dispatcher", "--port=0", flags));
  }

  String startHeadraceWorker(String dispatcher, String... flags) throws InterruptedException {
    String address = "--dispatcher-address=" + dispatcher;
    return start("headrace-worker", Headrace.command("worker", address, flags));
  }

  /** The server started last. */
  ManagedProcess last() {
    return processes.getLast();
  }

  /** What the servers wrote last to standard error, for a failure to quote. */
  String tailOfLogs() {
    return String.join("\n", processes.stream().map(ManagedProcess::tailOfLog).toList());
  }

  @Override
  public void close() {
    while (!processes.isEmpty()) {
      processes.removeLast().close();
    }
  }

  private String start(String name, List<String> command) throws InterruptedException {
    var process = ManagedProcess.start(name, command, Map.copyOf(StockTensorFlow.ENVIRONMENT));
    processes.addLast(process);
    return process.awaitReady();
  }
}
