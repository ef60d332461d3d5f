/**
 * The Java side of the benchmarks: clients that the scripts in {@code bench/src/main/python} start
 * beside stock TensorFlow's. Each reads commands from standard input and prints its measurements.
 * Begin with {@code BenchClient}, and with {@code rows.py} for the benchmarks themselves.
 */
@NullMarked
package io.headrace.bench;

import org.jspecify.annotations.NullMarked;
