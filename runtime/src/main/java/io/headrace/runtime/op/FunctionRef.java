package io.headrace.runtime.op;

/**
 * The name of a function of a graph's library, as an attr holds it.
 *
 * @param name the function's name
 */
public record FunctionRef(String name) {}
