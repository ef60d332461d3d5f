package io.headrace.cli.metrics;

import io.grpc.opentelemetry.GrpcOpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** gRPC's own metrics, of all servers and channels that a process makes after they began. */
final class GrpcMetrics {
  /** Servers that channels of the process lead to, by name; the others are one, "other". */
  static final int MAX_TARGETS = 100;

  /** gRPC's name for its instruments together. */
  static final String SCOPE = "grpc-java";

  private GrpcMetrics() {}

  /** Begins to measure; once in a process, before its first server or channel. */
  static void start(SdkMeterProvider provider) {
    grpc(provider).registerGlobal();
  }

  /** Measures what it is told to. */
  static GrpcOpenTelemetry grpc(SdkMeterProvider provider) {
    Set<String> targets = ConcurrentHashMap.newKeySet();
    return GrpcOpenTelemetry.newBuilder()
        .sdk(OpenTelemetrySdk.builder().setMeterProvider(provider).build())
        .targetAttributeFilter(target ->
            targets.contains(target) || (targets.size() < MAX_TARGETS && targets.add(target)))
        .build();
  }

  /** Whether {@code metric} is one of gRPC's. */
  static boolean has(MetricData metric) {
    return metric.getInstrumentationScopeInfo().getName().equals(SCOPE);
  }
}
