package io.headrace.cli.drill;

/**
 * Something that a drill did, or saw.
 *
 * @param atSeconds when, since the drill began
 * @param what in a few words
 */
public record Step(double atSeconds, String what) {}
