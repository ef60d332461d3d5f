package io.headrace.rpc;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Services of TensorFlow that are not served: their calls get UNIMPLEMENTED with a reason. */
final class UnimplementedServices extends HandlerRegistry {
  private static final MethodDescriptor.Marshaller<Object> NOTHING = new Unread();

  private final Map<String, String> reasons;

  /**
   * @param reasons the reasons by full service name
   */
  UnimplementedServices(Map<String, String> reasons) {
    this.reasons = Map.copyOf(reasons);
  }

  @Override
  public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
      String methodName, @Nullable String authority) {
    String reason = reasons.get(MethodDescriptor.extractFullServiceName(methodName));
    if (reason == null) {
      return null;
    }
    MethodDescriptor<Object, Object> method =
        MethodDescriptor.newBuilder(NOTHING, NOTHING)
            .setFullMethodName(methodName)
            .setType(MethodType.UNKNOWN)
            .build();
    Status status =
        Status.UNIMPLEMENTED.withDescription("/%s is not served: %s".formatted(methodName, reason));
    return ServerMethodDefinition.create(
        method,
        (call, _) -> {
          call.close(status, new Metadata());
          return new ServerCall.Listener<>() {};
        });
  }

  /** Never used to parse: calls end before a request is read. */
  private static final class Unread implements MethodDescriptor.Marshaller<Object> {
    @Override
    public InputStream stream(Object value) {
      return new ByteArrayInputStream(new byte[0]);
    }

    @Override
    public Object parse(InputStream stream) {
      return stream;
    }
  }
}
