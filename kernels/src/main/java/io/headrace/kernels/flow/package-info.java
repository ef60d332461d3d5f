/**
 * Control flow: If, Case, While and For over functions, TensorFlow 1's Switch, Merge, Enter and
 * Exit, and calls on other devices. The executor runs calls and TensorFlow 1's ops itself, so most
 * have a declaration and no kernel. Begin with {@code FunctionalControlFlowOps}.
 */
@NullMarked
package io.headrace.kernels.flow;

import org.jspecify.annotations.NullMarked;
