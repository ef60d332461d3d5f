package io.headrace.rpc.inspect;

import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.services.ChannelzService;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.util.ArrayList;
import java.util.List;

/**
 * Which of gRPC's services for looking into a process a server has. They answer callers on the
 * server's own host alone; others get PERMISSION_DENIED.
 *
 * @param reflection whether the server describes its services: {@code
 *     grpc.reflection.v1.ServerReflection}, and the older {@code v1alpha}
 * @param channelz whether it tells of the process's servers, channels and connections: {@code
 *     grpc.channelz.v1.Channelz}
 */
public record Inspection(boolean reflection, boolean channelz) {
  /** Neither. */
  public static final Inspection NONE = new Inspection(false, false);

  private static final int CHANNELZ_PAGE = 100;

  /** The services. */
  public List<ServerServiceDefinition> services() {
    List<ServerServiceDefinition> services = new ArrayList<>();
    if (reflection) {
      services.add(ProtoReflectionServiceV1.newInstance().bindService());
      services.add(olderReflection());
    }
    if (channelz) {
      services.add(
          ServerInterceptors.intercept(
              ChannelzService.newInstance(CHANNELZ_PAGE), new OwnThreads("channelz")));
    }
    return services.stream()
        .map(service -> ServerInterceptors.intercept(service, new LocalCallersOnly()))
        .toList();
  }

  @SuppressWarnings("deprecation") // what older tools ask
  private static ServerServiceDefinition olderReflection() {
    return ServerInterceptors.intercept(ProtoReflectionService.newInstance());
  }
}
