package com.example.howto;

import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A dispatcher that survives restarts, and workers, in the process of a program. */
public final class EmbeddedServers implements AutoCloseable {
  private final DispatchServer dispatcher;
  private final List<WorkerServer> workers = new ArrayList<>();

  /**
   * Starts a dispatcher at {@code port}, 0 for any, and {@code count} workers. The dispatcher keeps
   * its state in {@code workDir}: one that starts there later knows its datasets and jobs.
   */
  public EmbeddedServers(Path workDir, int port, int count) {
    DispatcherConfig config =
        DispatcherConfig.builder().workDir(workDir.toString()).port(port).build();
    dispatcher = DispatchServer.start(config);
    try {
      for (int i = 0; i < count; i++) {
        workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The target that readers are given, such as grpc://localhost:5050. */
  public String target() {
    return dispatcher.target();
  }

  /** Waits until the dispatcher has stopped; it throws if that was not asked for. */
  public void join() throws InterruptedException {
    dispatcher.join();
  }

  /** Stops the workers, which hand over what they have not delivered, and then the dispatcher. */
  @Override
  public void close() {
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  /** Serves until the process is stopped: {@code EmbeddedServers WORK_DIR PORT WORKERS}. */
  public static void main(String[] args) throws InterruptedException {
    EmbeddedServers servers =
        new EmbeddedServers(Path.of(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    Runtime.getRuntime().addShutdownHook(new Thread(servers::close));
    System.out.println("serving at " + servers.target());
    servers.join();
  }
}
