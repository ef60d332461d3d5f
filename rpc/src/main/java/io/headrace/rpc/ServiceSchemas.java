package io.headrace.rpc;

import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;

/**
 * The schemas of services: what gRPC's reflection tells of a service whose definition is not the
 * generated one, since its methods have marshallers of their own.
 */
public final class ServiceSchemas {
  private ServiceSchemas() {}

  /**
   * The same service, with the schema of another description of it.
   *
   * @param service all methods of the service
   * @param generated describes the service
   */
  public static ServerServiceDefinition describe(
      ServerServiceDefinition service, ServiceDescriptor generated) {
    ServiceDescriptor.Builder description =
        ServiceDescriptor.newBuilder(generated.getName())
            .setSchemaDescriptor(generated.getSchemaDescriptor());
    service.getMethods().forEach(method -> description.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder described =
        ServerServiceDefinition.builder(description.build());
    service.getMethods().forEach(described::addMethod);
    return described.build();
  }
}
