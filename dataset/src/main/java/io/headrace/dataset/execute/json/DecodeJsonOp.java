package io.headrace.dataset.execute.json;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An op of Headrace's own: the typed fields of a JSON record. TensorFlow has none like it, so that
 * its own workers refuse graphs with this op.
 */
public final class DecodeJsonOp {
  /** The name of the op. */
  public static final String NAME = "HeadraceDecodeJson";

  /**
   * Takes a scalar record, and for each field the value where it is missing. The attrs hold, for
   * each field, its dtype, its {@link #path}, and 1 where it is a list, or must be there.
   */
  public static final Op OP =
      Op.define(NAME + "(record: string, defaults: [types]) -> fields: [types]")
          .attrs(
              "types: list({float, double, int32, int64, bool, string})",
              "paths: list(string)",
              "lists: list(int)",
              "required: list(int)")
          .shape(DecodeJsonOp::shapes)
          .remark("The fields of a JSON record.")
          .kernel(node -> new Decode(node.attrs()));

  private DecodeJsonOp() {}

  /** The names {@code steps} as one path: separated by dots, with backslashes before their own. */
  public static String path(List<String> steps) {
    return steps.stream()
        .map(step -> step.replace("\\", "\\\\").replace(".", "\\."))
        .collect(Collectors.joining("."));
  }

  /** The names in {@code path}. */
  static List<String> steps(String path) {
    List<String> steps = new ArrayList<>();
    StringBuilder step = new StringBuilder();
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '.') {
        steps.add(step.toString());
        step.setLength(0);
      } else {
        step.append(c == '\\' && i + 1 < path.length() ? path.charAt(++i) : c);
      }
    }
    steps.add(step.toString());
    return steps;
  }

  private static List<Shape> shapes(ShapeFunction.Inputs inputs) {
    return inputs.attrs().integers("lists").stream()
        .map(list -> list == 0 ? Shape.SCALAR : Shape.of(Shape.UNKNOWN_DIMENSION))
        .toList();
  }

  private static final class Decode implements Kernel.Sync {
    private final JsonFields fields;
    private final List<Boolean> required;

    Decode(Attrs attrs) {
      List<DataType> types = attrs.types("types");
      List<String> paths = attrs.strings("paths");
      List<Long> lists = attrs.integers("lists");
      required = attrs.integers("required").stream().map(value -> value != 0).toList();
      if (paths.size() != types.size()
          || lists.size() != types.size()
          || required.size() != types.size()) {
        throw StatusException.invalidArgument(
            "there are %d types, %d paths, %d lists and %d required",
            types.size(), paths.size(), lists.size(), required.size());
      }
      List<JsonFields.Field> made = new ArrayList<>();
      for (int i = 0; i < types.size(); i++) {
        made.add(
            new JsonFields.Field(
                paths.get(i), steps(paths.get(i)), types.get(i), lists.get(i) != 0));
      }
      fields = JsonFields.of(made);
    }

    @Override
    public void compute(KernelCall call) {
      Tensor record = call.input(0);
      if (record.shape().rank() != 0) {
        throw StatusException.invalidArgument(
            "a JSON record must be a scalar, and is %s", record.typeAndShape());
      }
      @Nullable Tensor[] values = fields.read(record.string(0));
      for (int i = 0; i < values.length; i++) {
        Tensor value = values[i];
        if (value == null && required.get(i)) {
          throw fields.missing(i, record.string(0));
        }
        call.setOutput(i, value == null ? call.input(1 + i) : value);
      }
    }
  }
}
