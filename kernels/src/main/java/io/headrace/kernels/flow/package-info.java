/**
 * Control flow ops: If, Case, While and For, which run functions ({@link
 * io.headrace.kernels.flow.FunctionCalls}); TensorFlow 1's Switch, Merge, Enter and Exit; _Send and
 * _Recv; RemoteCall. The executor implements PartitionedCall, TensorFlow 1's control flow and the
 * transfers itself, so those classes declare ops without kernels. Begin with {@code IfOps}.
 */
@NullMarked
package io.headrace.kernels.flow;

import org.jspecify.annotations.NullMarked;
