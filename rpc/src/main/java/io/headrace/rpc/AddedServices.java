package io.headrace.rpc;

import io.grpc.HandlerRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The services that a server was given after it was started. Thread-safe. */
final class AddedServices extends HandlerRegistry {
  private final Map<String, ServerServiceDefinition> services = new ConcurrentHashMap<>();
  private final HandlerRegistry others;

  /** Methods of {@code others} answer what none of the added services does. */
  AddedServices(HandlerRegistry others) {
    this.others = others;
  }

  /** Adds {@code service}, in place of one of its name. */
  void add(ServerServiceDefinition service) {
    services.put(service.getServiceDescriptor().getName(), service);
  }

  @Override
  public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
      String methodName, @Nullable String authority) {
    String name = MethodDescriptor.extractFullServiceName(methodName);
    ServerServiceDefinition service = name == null ? null : services.get(name);
    return service == null
        ? others.lookupMethod(methodName, authority)
        : service.getMethod(methodName);
  }
}
