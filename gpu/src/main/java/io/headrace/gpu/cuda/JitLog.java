package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The options of cuModuleLoadDataEx that let the compiler write its errors into a buffer.
 *
 * @param keys the options' numbers
 * @param values for each, 8 bytes that hold its value, be it a pointer or a number
 */
record JitLog(MemorySegment keys, MemorySegment values) {
  private static final int ERROR_LOG_BUFFER = 5;
  private static final int ERROR_LOG_BUFFER_SIZE_BYTES = 6;

  /** The options of CUjit_option that are set. */
  static final int[] OPTIONS = {ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES};

  /** Options for errors in {@code log}, which is filled with zeros. */
  static JitLog allocate(Arena arena, MemorySegment log) {
    MemorySegment values = arena.allocate(JAVA_LONG, 2);
    values.setAtIndex(JAVA_LONG, 0, log.address());
    values.setAtIndex(JAVA_LONG, 1, log.byteSize());
    return new JitLog(arena.allocateFrom(JAVA_INT, OPTIONS), values);
  }

  /** The explanation of a code, with the log's text behind it if there is one. */
  static String explain(String explanation, MemorySegment log) {
    String text = log.getString(0).strip();
    return text.isEmpty() ? explanation : explanation + ": " + text;
  }
}
