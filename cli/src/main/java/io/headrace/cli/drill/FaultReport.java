package io.headrace.cli.drill;

/**
 * A fault that a drill made.
 *
 * @param atSeconds when, since the drill began
 * @param what in a few words
 * @param recoverySeconds how long it took until the reader was supplied again: to the end of the
 *     longest wait that followed, or to the next element where it did not have to wait
 */
public record FaultReport(double atSeconds, String what, double recoverySeconds) {}
