package io.headrace.rpc;

import io.grpc.ServerServiceDefinition;
import io.headrace.proto.headrace.ElementStreamGrpc;

/** The service of element streams, headrace.ElementStream. */
public final class ElementStreams {
  /** The protocol name in a worker's transfer_servers. */
  public static final String PROTOCOL = "stream";

  private ElementStreams() {}

  /** The service definition: streams of {@code tasks}, with heartbeats by {@code metronome}. */
  public static ServerServiceDefinition service(StreamTasks tasks, HeartbeatTimer metronome) {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder(ElementStreamGrpc.SERVICE_NAME)
            .addMethod(
                StreamMethod.SERVER,
                (call, _) -> {
                  StreamWriter writer = new StreamWriter(call, tasks, metronome);
                  writer.start();
                  return writer;
                })
            .build();
    return ServiceSchemas.describe(service, ElementStreamGrpc.getServiceDescriptor());
  }
}
