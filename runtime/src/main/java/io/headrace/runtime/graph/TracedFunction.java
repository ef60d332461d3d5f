package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.Map;

/**
 * A function traced from a lambda.
 *
 * @param name its name, unique in the process
 * @param library the function and its callees, by name
 * @param captured the outputs of enclosing graphs that it uses, passed after its arguments
 * @param resultTypes the dtypes of its results
 * @param resultShapes the shapes of its results, as far as they are known
 * @param isStateful whether it contains an op with state or a side effect
 */
public record TracedFunction(
    String name,
    Map<String, FunctionDef> library,
    List<Output> captured,
    List<DataType> resultTypes,
    List<Shape> resultShapes,
    boolean isStateful) {}
