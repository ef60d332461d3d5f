/**
 * Ops that reach outside the process. {@code FileOps} reads, writes and lists local files, {@code
 * PrintOps} prints tensors to standard output, standard error, the log or a file, and {@code
 * TimestampOps} reads the clock that {@code IoFamily} is given. Begin with {@code FileOps}.
 */
@NullMarked
package io.headrace.kernels.io;

import org.jspecify.annotations.NullMarked;
