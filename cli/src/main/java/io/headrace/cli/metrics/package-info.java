/**
 * The metrics of dispatchers and workers. Begin with {@link io.headrace.cli.metrics.Instruments},
 * the list of all; {@link io.headrace.cli.metrics.Telemetry} exports them by OpenTelemetry.
 */
@NullMarked
package io.headrace.cli.metrics;

import org.jspecify.annotations.NullMarked;
