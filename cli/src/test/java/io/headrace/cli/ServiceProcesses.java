package io.headrace.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The processes of a dispatcher and of its worker. {@link #close} ends those that were started. */
final class ServiceProcesses implements AutoCloseable {
  private final List<HeadraceProcess> processes = new ArrayList<>();
  private String dispatcher = "";
  private String worker = "";

  /** Starts both, the dispatcher with {@code flags}, and waits until they are ready. */
  void start(String... flags) throws IOException {
    dispatcher =
        startAt(Stream.concat(Stream.of("dispatcher"), Stream.of(flags)).toArray(String[]::new));
    worker = startAt("worker", "--dispatcher-address=" + dispatcher);
  }

  private String startAt(String... command) throws IOException {
    HeadraceProcess process = HeadraceProcess.start(command);
    processes.add(process);
    return "localhost:" + process.awaitReady();
  }

  /** The dispatcher's address. */
  String dispatcher() {
    return dispatcher;
  }

  /** The target of the dispatcher, for readers. */
  String target() {
    return "grpc://" + dispatcher;
  }

  /** The worker's address. */
  String worker() {
    return worker;
  }

  @Override
  public void close() {
    processes.forEach(HeadraceProcess::close);
  }
}
