package io.headrace.rpc;

import io.grpc.HandlerRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The services that were added to a running server. Thread-safe. */
final class DynamicServices extends HandlerRegistry {
  private final Map<String, ServerServiceDefinition> services = new ConcurrentHashMap<>();
  private final HandlerRegistry fallback;

  /** Falls back to {@code others} for methods of other services. */
  DynamicServices(HandlerRegistry fallback) {
    this.fallback = fallback;
  }

  /** Adds {@code service}; it replaces an added service of the same name. */
  void add(ServerServiceDefinition service) {
    services.put(service.getServiceDescriptor().getName(), service);
  }

  @Override
  public List<ServerServiceDefinition> getServices() {
    return List.copyOf(services.values());
  }

  @Override
  public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
      String methodName, @Nullable String authority) {
    String name = MethodDescriptor.extractFullServiceName(methodName);
    ServerServiceDefinition service = name == null ? null : services.get(name);
    return service == null
        ? fallback.lookupMethod(methodName, authority)
        : service.getMethod(methodName);
  }
}
