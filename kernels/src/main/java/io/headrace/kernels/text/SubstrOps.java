package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Substr: a substring of each string, counted in bytes or in UTF-8 characters. */
final class SubstrOps {
  /** The highest rank to which TensorFlow broadcasts strings against positions. */
  private static final int MAX_BROADCAST_RANK = 2;

  private SubstrOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Substr(input: string, pos: T, len: T) -> output: string")
            .attrs("T: {int32, int64}", "unit: string = \"BYTE\"")
            .shape(SubstrOps::infer)
            .kernel(node -> new Substr(CharUnit.of(node.attrs()))));
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs) {
    return List.of(ShapeFunctions.broadcast(inputs.shape(0), inputs.shape(1)));
  }

  private record Substr(CharUnit unit) implements Kernel.Sync {
    @Override
    public void compute(KernelCall call) {
      call.setOutput(0, substrings(call.input(0), call.input(1), call.input(2)));
    }

    @Override
    public boolean computeRows(RowsCall call) {
      boolean samePart = !call.isRows(1) && !call.isRows(2) && call.input(1).shape().rank() == 0;
      if (samePart) {
        compute(call);
      }
      return samePart;
    }

    private Tensor substrings(Tensor input, Tensor pos, Tensor len) {
      check(pos, len);
      Shape shape = pos.shape().rank() == 0 ? input.shape() : broadcast(input, pos);
      boolean broadcasts = pos.shape().rank() > 0 && !input.shape().equals(pos.shape());
      byte[][] result = ByteStrings.allocate(shape);
      for (int i = 0; i < result.length; i++) {
        byte[] string = input.string(index(i, shape, input.shape()));
        int at = index(i, shape, pos.shape());
        result[i] =
            substring(string, pos.integer(at), len.integer(at), position(i, shape, broadcasts));
      }
      return Tensor.wrap(DataType.STRING, shape, result);
    }

    private static void check(Tensor pos, Tensor len) {
      if (!pos.shape().equals(len.shape())) {
        throw StatusException.invalidArgument(
            "pos and len should have the same shape, got: %s vs. %s", pos.shape(), len.shape());
      }
      if (pos.elements() == 0) {
        throw StatusException.invalidArgument("received empty tensor pos_tensor: %s", pos);
      }
    }

    private static Shape broadcast(Tensor input, Tensor pos) {
      Shape shape = ShapeFunctions.broadcast(input.shape(), pos.shape());
      if (!input.shape().equals(pos.shape()) && shape.rank() > MAX_BROADCAST_RANK) {
        throw StatusException.unimplemented(
            "Substr broadcast not implemented for %d dimensions", shape.rank());
      }
      return shape;
    }

    /** The index, in a tensor of shape {@code from}, of the element broadcast to {@code i}. */
    private static int index(int i, Shape shape, Shape from) {
      if (from.rank() == 0 || from.equals(shape)) {
        return from.rank() == 0 ? 0 : i;
      }
      int rest = i;
      int index = 0;
      int stride = 1;
      for (int axis = 1; axis <= from.rank(); axis++) {
        int size = (int) shape.size(shape.rank() - axis);
        int own = (int) from.size(from.rank() - axis);
        index += own == 1 ? 0 : rest % size * stride;
        rest /= size;
        stride *= own;
      }
      return index;
    }

    /** The element as TensorFlow's messages name it: its index, or row and column. */
    private String position(int i, Shape shape, boolean broadcasts) {
      if (broadcasts && unit == CharUnit.BYTE && shape.rank() == 2) {
        return "(" + i / shape.size(1) + ", " + i % shape.size(1) + ")";
      }
      return Integer.toString(broadcasts && shape.rank() == 2 ? i / (int) shape.size(1) : i);
    }

    private byte[] substring(byte[] string, long pos, long len, String position) {
      return unit == CharUnit.UTF8_CHAR
          ? characters(string, pos, len, position)
          : bytes(string, pos, len, position);
    }

    private static byte[] bytes(byte[] string, long pos, long len, String position) {
      long from = pos < 0 ? string.length + pos : pos;
      if (from < 0 || from > string.length) {
        throw StatusException.invalidArgument(
            "pos %d out of range for string b'%s' at index %s",
            pos, ByteStrings.text(string), position);
      }
      // A negative length means the rest of the string.
      long to = len < 0 ? string.length : Math.min(string.length, from + len);
      return Arrays.copyOfRange(string, (int) from, (int) to);
    }

    private static byte[] characters(byte[] string, long pos, long len, String position) {
      int from;
      int to;
      if (pos >= 0) {
        from = forward(string, 0, pos);
        to = from < 0 ? -1 : Math.max(from, forwardAtMost(string, from, len));
      } else {
        long dropped = Math.max(0, -pos - len);
        to = back(string, string.length, dropped);
        from = to < 0 ? -1 : back(string, to, -pos - dropped);
      }
      if (from < 0) {
        throw StatusException.invalidArgument(
            "pos %d out of range for string at index %s", pos, position);
      }
      return Arrays.copyOfRange(string, from, to);
    }

    /** The offset {@code count} characters after {@code at}, or -1 if there are fewer. */
    private static int forward(byte[] string, int at, long count) {
      int end = at;
      for (long i = 0; i < count; i++) {
        if (end >= string.length) {
          return -1;
        }
        end = next(string, end);
      }
      return end;
    }

    /** The offset up to {@code count} characters after {@code at}. */
    private static int forwardAtMost(byte[] string, int at, long count) {
      int end = at;
      for (long i = 0; i < count && end < string.length; i++) {
        end = next(string, end);
      }
      return end;
    }

    private static int next(byte[] string, int at) {
      int end = at + 1;
      while (end < string.length && ByteStrings.isTrailByte(string[end])) {
        end++;
      }
      return end;
    }

    /** The offset {@code count} characters before {@code at}, or -1 if there are fewer. */
    private static int back(byte[] string, int at, long count) {
      int start = at;
      for (long i = 0; i < count; i++) {
        if (start <= 0) {
          return -1;
        }
        start--;
        while (start > 0 && ByteStrings.isTrailByte(string[start])) {
          start--;
        }
      }
      return start;
    }
  }
}
