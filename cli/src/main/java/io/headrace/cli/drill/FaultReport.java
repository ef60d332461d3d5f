package io.headrace.cli.drill;

/**
 * A fault injected by a drill.
 *
 * @param atSeconds the time since the start of the drill
 * @param what a short description
 * @param recoverySeconds the time until the reader was supplied again: to the end of the longest
 *     wait that followed, or to the next element if the reader did not wait
 */
public record FaultReport(double atSeconds, String what, double recoverySeconds) {}
