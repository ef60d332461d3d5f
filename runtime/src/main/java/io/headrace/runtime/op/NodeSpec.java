package io.headrace.runtime.op;

import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * What a kernel is made from: one node of a graph.
 *
 * @param name the node's name, for messages
 * @param op its op
 * @param attrs its attrs
 * @param inputTypes the dtypes of its inputs, as its op and attrs say
 * @param outputTypes the dtypes of its outputs
 * @param functions instantiates the functions that attrs name
 */
public record NodeSpec(
    String name,
    Op op,
    Attrs attrs,
    List<DataType> inputTypes,
    List<DataType> outputTypes,
    Functions functions) {}
