/**
 * Ops that parse tf.Example, tf.SequenceExample and CSV records. A message is read from its bytes
 * without generated code ({@code ExampleWire}); values go straight into the arrays of the outputs
 * ({@code FeatureBuffer}). Begin with {@code ParseExampleOps}.
 */
@NullMarked
package io.headrace.kernels.example;

import org.jspecify.annotations.NullMarked;
