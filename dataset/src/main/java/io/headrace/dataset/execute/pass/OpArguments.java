package io.headrace.dataset.execute.pass;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.FormatMethod;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The inputs, attrs and functions of a dataset op's node. Every accessor throws INVALID_ARGUMENT,
 * naming node, op and input, if an input has the wrong dtype or shape.
 */
public final class OpArguments {
  private final NodeSpec node;
  private final KernelCall call;
  private final Function<String, FunctionTemplate> templates;

  public OpArguments(NodeSpec node, KernelCall call, Function<String, FunctionTemplate> templates) {
    this.node = node;
    this.call = call;
    this.templates = templates;
  }

  public Attrs attrs() {
    return node.attrs();
  }

  KernelCall call() {
    return call;
  }

  /** The dataset in the input {@code name}. */
  public DatasetValue dataset(String name) {
    return dataset(name, tensor(name));
  }

  /** The datasets in the inputs {@code name}. */
  public List<DatasetValue> datasets(String name) {
    return tensors(name).stream().map(tensor -> dataset(name, tensor)).toList();
  }

  private DatasetValue dataset(String name, Tensor tensor) {
    if (tensor.dtype() == DataType.VARIANT
        && tensor.elements() == 1
        && tensor.reference(0) instanceof DatasetValue dataset) {
      return dataset;
    }
    throw invalid(name, "must be a dataset", tensor);
  }

  /** The scalar int64 or int32 {@code name}. */
  public long integer(String name) {
    Tensor tensor = tensor(name);
    boolean integer = tensor.dtype() == DataType.INT64 || tensor.dtype() == DataType.INT32;
    if (!integer || tensor.shape().rank() != 0) {
      throw invalid(name, "must be a scalar integer", tensor);
    }
    return tensor.integer(0);
  }

  /** The scalar integer {@code name}, which must be at least 1. */
  public long positive(String name) {
    long value = integer(name);
    if (value < 1) {
      throw invalid("%s must be greater than zero, and is %d", name, value);
    }
    return value;
  }

  /** The scalar bool {@code name}. */
  public boolean bool(String name) {
    Tensor tensor = tensor(name);
    if (tensor.dtype() != DataType.BOOL || tensor.shape().rank() != 0) {
      throw invalid(name, "must be a scalar bool", tensor);
    }
    return tensor.bool(0);
  }

  /** The scalar string {@code name}. */
  public String string(String name) {
    Tensor tensor = tensor(name);
    if (tensor.dtype() != DataType.STRING || tensor.shape().rank() != 0) {
      throw invalid(name, "must be a scalar string", tensor);
    }
    return new String(tensor.string(0), UTF_8);
  }

  /** The strings of the scalar or vector {@code name}. */
  public List<String> strings(String name) {
    Tensor tensor = tensor(name);
    if (tensor.dtype() != DataType.STRING || tensor.shape().rank() > 1) {
      throw invalid(name, "must be a scalar or a vector of strings", tensor);
    }
    List<String> result = new ArrayList<>(tensor.elements());
    for (int i = 0; i < tensor.elements(); i++) {
      result.add(new String(tensor.string(i), UTF_8));
    }
    return result;
  }

  /** The single tensor {@code name}. */
  public Tensor tensor(String name) {
    return tensors(name).getFirst();
  }

  /** All tensors of the argument {@code name}, which may be a list. */
  public List<Tensor> tensors(String name) {
    int at = 0;
    for (ArgSpec input : node.op().inputs()) {
      int count = input.count(node.attrs());
      if (input.name().equals(name)) {
        List<Tensor> result = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
          result.add(call.input(at + i));
        }
        return result;
      }
      at += count;
    }
    throw new IllegalArgumentException(node.op().name() + " has no input " + name);
  }

  /** The function of the attr {@code attr}; the inputs {@code captured} are its last arguments. */
  public CapturedFunction function(String attr, String captured) {
    return new CapturedFunction(templates.apply(attr), tensors(captured));
  }

  /** The attrs {@code output_types} and {@code output_shapes}. */
  public ElementSpec spec() {
    return spec("output_types");
  }

  /** The attrs {@code typesAttr} and {@code output_shapes}. */
  public ElementSpec spec(String typesAttr) {
    List<DataType> types = attrs().types(typesAttr);
    List<Shape> shapes = attrs().shapes("output_shapes");
    if (types.size() != shapes.size()) {
      throw invalid("%d dtypes and %d shapes are declared", types.size(), shapes.size());
    }
    return new ElementSpec(where(), types, shapes);
  }

  private StatusException invalid(String name, String must, Tensor tensor) {
    return invalid("input %s %s, and is %s", name, must, tensor.typeAndShape());
  }

  /** INVALID_ARGUMENT naming node and op. */
  @FormatMethod
  public StatusException invalid(String format, Object... arguments) {
    return StatusException.invalidArgument(format, arguments).in(where());
  }

  /** The node and its op, for messages. */
  public String where() {
    return "node %s (op %s)".formatted(node.name(), node.op().name());
  }
}
