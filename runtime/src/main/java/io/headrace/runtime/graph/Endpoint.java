package io.headrace.runtime.graph;

/**
 * One output of one node.
 *
 * @param node the node's index in {@link PrunedGraph#nodes}
 * @param output the output's index
 */
public record Endpoint(int node, int output) {}
