/**
 * The {@code headrace} command. Begin with {@link io.headrace.cli.Headrace}; each subcommand is a
 * class named after it ({@code WorkerCommand}), on mixed-in flags ({@code ServerFlags}, {@code
 * TransportFlags}) and on the life cycles of processes ({@code ServerProcess}) and sessions ({@code
 * SessionRun}).
 */
@NullMarked
package io.headrace.cli;

import org.jspecify.annotations.NullMarked;
