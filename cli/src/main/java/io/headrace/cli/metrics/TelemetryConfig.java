package io.headrace.cli.metrics;

import java.util.Optional;

/**
 * The metrics that a process has, and where it sends them.
 *
 * @param service the kind of process: "headrace-dispatcher" or "headrace-worker"
 * @param version Headrace's version
 * @param grpc whether gRPC's own metrics are among them
 * @param otlp where they are sent, if anywhere
 */
public record TelemetryConfig(
    String service, String version, boolean grpc, Optional<OtlpConfig> otlp) {}
