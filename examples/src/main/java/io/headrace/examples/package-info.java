/**
 * Example programs, each a subcommand of {@code headrace example} or {@code headrace quickstart}.
 * Begin with {@link io.headrace.examples.Quickstart}; {@link io.headrace.examples.PinnedOperations}
 * and {@link io.headrace.examples.ReplicatedTraining} show sessions on clusters.
 */
@NullMarked
package io.headrace.examples;

import org.jspecify.annotations.NullMarked;
