package io.headrace.rpc;

import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.InputStream;

/**
 * Parses requests and replaces one that can't be parsed by a {@link Malformed}. gRPC itself would
 * log a parse failure as a bug of the server and not tell the caller the reason.
 */
final class RequestMarshaller implements MethodDescriptor.Marshaller<Object> {
  private final MethodDescriptor.Marshaller<?> marshaller;

  private RequestMarshaller(MethodDescriptor.Marshaller<?> marshaller) {
    this.marshaller = marshaller;
  }

  /** A request that can't be parsed; {@link StatusInterceptor} answers the call with its status. */
  record Malformed(Status status) {}

  /** Wraps the request marshallers of {@code service}. */
  static ServerServiceDefinition guard(ServerServiceDefinition service) {
    ServerServiceDefinition.Builder guarded =
        ServerServiceDefinition.builder(service.getServiceDescriptor().getName());
    service.getMethods().forEach(method -> guarded.addMethod(guard(method)));
    return ServiceSchemas.describe(guarded.build(), service.getServiceDescriptor());
  }

  @SuppressWarnings("unchecked") // StatusInterceptor keeps Malformed from the handlers
  private static <Q, R> ServerMethodDefinition<Q, R> guard(ServerMethodDefinition<Q, R> method) {
    MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
    MethodDescriptor.Marshaller<Q> requests =
        (MethodDescriptor.Marshaller<Q>)
            (MethodDescriptor.Marshaller<?>)
                new RequestMarshaller(descriptor.getRequestMarshaller());
    return ServerMethodDefinition.create(
        descriptor.toBuilder().setRequestMarshaller(requests).build(),
        method.getServerCallHandler());
  }

  @Override
  public InputStream stream(Object request) {
    throw new UnsupportedOperationException("servers do not write requests");
  }

  @Override
  public Object parse(InputStream stream) {
    try {
      return marshaller.parse(stream);
    } catch (RuntimeException e) {
      return new Malformed(
          Status.INVALID_ARGUMENT.withDescription(
              "the request can't be read: " + GrpcStatuses.rootMessage(e)));
    }
  }
}
