package io.headrace.cli.metrics;

/**
 * The metrics that a process has.
 *
 * @param service the kind of process: "headrace-dispatcher" or "headrace-worker"
 * @param version Headrace's version
 * @param grpc whether gRPC's own metrics are among them
 */
public record TelemetryConfig(String service, String version, boolean grpc) {}
