package io.headrace.worker;

/** Splits of a task whose worker may leave. */
interface LeavingSplits {
  /** Requests no more splits: those at hand are the last. Callable on any thread. */
  void endSoon();

  /** Whether the splits ended because of that, and not because there are no more. */
  boolean endedEarly();
}
