package io.headrace.rpc;

import io.grpc.ServerServiceDefinition;
import io.headrace.proto.headrace.ElementStreamGrpc;

/** The service that streams are opened on: headrace.ElementStream. */
public final class ElementStreams {
  /** What a worker's transfer_servers calls it. */
  public static final String PROTOCOL = "stream";

  private ElementStreams() {}

  /** The service, of the tasks of {@code tasks}, with heartbeats by {@code metronome}. */
  public static ServerServiceDefinition service(StreamTasks tasks, Metronome metronome) {
    return ServerServiceDefinition.builder(ElementStreamGrpc.SERVICE_NAME)
        .addMethod(
            StreamMethod.SERVER,
            (call, _) -> {
              StreamWriter writer = new StreamWriter(call, tasks, metronome);
              writer.start();
              return writer;
            })
        .build();
  }
}
