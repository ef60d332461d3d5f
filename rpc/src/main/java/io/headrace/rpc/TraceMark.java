package io.headrace.rpc;

/**
 * Marks a row whose way is traced, beside the rows that it travels with.
 *
 * @param trace the number of the trace
 * @param position the row's position in the task's sequence
 */
public record TraceMark(long trace, long position) {}
