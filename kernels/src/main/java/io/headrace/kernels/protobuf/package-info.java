/**
 * Ops on serialized protocol buffers of any message: {@code DescriptorSource} finds the message,
 * {@code MessageScanner} walks through one, and {@code FieldCounter} and {@code FieldCollector}
 * take its fields.
 */
@NullMarked
package io.headrace.kernels.protobuf;

import org.jspecify.annotations.NullMarked;
