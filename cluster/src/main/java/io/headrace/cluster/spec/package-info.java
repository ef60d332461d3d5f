/**
 * The definition of a cluster: its jobs, their tasks and addresses ({@code ClusterSpec}, {@code
 * TaskAddress}), the forms in which users write it ({@code ClusterConfig}), and TensorFlow's
 * ServerDef of one task ({@code ServerDefs}). Begin with {@link
 * io.headrace.cluster.spec.ClusterSpec}.
 */
@NullMarked
package io.headrace.cluster.spec;

import org.jspecify.annotations.NullMarked;
