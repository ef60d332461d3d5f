/**
 * Errors and cancellation: TensorFlow's status codes, the exception that carries one ({@link
 * io.headrace.runtime.status.StatusException}), and the cancellation signal of steps and calls
 * ({@link io.headrace.runtime.status.Cancellation}).
 */
@NullMarked
package io.headrace.runtime.status;

import org.jspecify.annotations.NullMarked;
