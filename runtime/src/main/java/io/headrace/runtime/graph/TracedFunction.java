package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.Map;

/**
 * A lambda that was traced into a function.
 *
 * @param name its name, unique in the process
 * @param library the function and those that it calls, by name
 * @param captured what it uses of enclosing graphs, to be handed in after its arguments
 * @param resultTypes dtypes of its results
 * @param resultShapes shapes of its results, as far as they are known
 * @param isStateful whether it holds an op with state or a side effect
 */
public record TracedFunction(
    String name,
    Map<String, FunctionDef> library,
    List<Output> captured,
    List<DataType> resultTypes,
    List<Shape> resultShapes,
    boolean isStateful) {}
