/**
 * Ops that reach outside the process: files, standard error, the clock. Begin with {@code FileOps}.
 */
@NullMarked
package io.headrace.kernels.io;

import org.jspecify.annotations.NullMarked;
