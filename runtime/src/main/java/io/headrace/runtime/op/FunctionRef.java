package io.headrace.runtime.op;

/**
 * The name of a function of a graph's library, the value of a {@code func} attr.
 *
 * @param name the function's name
 */
public record FunctionRef(String name) {}
