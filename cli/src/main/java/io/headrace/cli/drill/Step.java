package io.headrace.cli.drill;

/**
 * A step of a drill: an action or an observation.
 *
 * @param atSeconds the time since the start of the drill
 * @param what a short description
 */
public record Step(double atSeconds, String what) {}
