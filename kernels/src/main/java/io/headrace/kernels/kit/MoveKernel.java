package io.headrace.kernels.kit;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Movement.Dimension;
import io.headrace.runtime.op.Movement.StridedCopy;
import io.headrace.runtime.op.MovingKernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op.KernelMaker;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that copies elements of its inputs, written once for any number of rows and for any
 * device: its body tells which elements go where ({@link OutputMoves}), from the shapes of the
 * inputs that are moved and the values of the others.
 */
public final class MoveKernel implements MovingKernel {
  /** Smaller parts are copied: a view costs more and keeps the whole tensor reachable. */
  private static final int MIN_VIEW = 64;

  private final Body body;

  /** Tells the movements of one node. */
  @FunctionalInterface
  public interface Body {
    /**
     * The movement of every output, for every row; null to decline these rows. A single row must
     * not be declined.
     */
    @Nullable List<Movement> movements(Rows rows);
  }

  /** Makes the body for a node, reading its attrs once. */
  @FunctionalInterface
  public interface Maker {
    /** The body of the kernel of {@code node}. */
    Body create(NodeSpec node);
  }

  /** A kernel with this body. */
  public MoveKernel(Body body) {
    this.body = body;
  }

  /** A kernel whose body does not depend on the node. */
  public static KernelMaker of(Body body) {
    return _ -> new MoveKernel(body);
  }

  /** A kernel whose body is made for each node. */
  public static KernelMaker made(Maker maker) {
    return node -> new MoveKernel(maker.create(node));
  }

  @Override
  public List<Movement> movements(KernelCall call) {
    List<Movement> movements = body.movements(new Rows(call));
    if (movements == null) {
      throw Rows.internal("a kernel declined a single row");
    }
    return movements;
  }

  @Override
  public @Nullable List<Movement> movementsOfRows(RowsCall call) {
    return body.movements(new Rows(call));
  }

  @Override
  public void compute(KernelCall call) {
    run(call, movements(call));
  }

  @Override
  public boolean computeRows(RowsCall call) {
    List<Movement> movements = movementsOfRows(call);
    if (movements == null) {
      return false;
    }
    run(call, movements);
    return true;
  }

  private static void run(KernelCall call, List<Movement> movements) {
    for (int i = 0; i < movements.size(); i++) {
      call.setOutput(i, output(call, movements.get(i)));
    }
  }

  /** An output: a view of an input, if its elements lie there in order. */
  private static Tensor output(KernelCall call, Movement movement) {
    if (movement.copies().size() == 1) {
      StridedCopy copy = movement.copies().getFirst();
      Tensor input = call.input(copy.input());
      int elements = copy.elements();
      boolean isAll = elements == movement.shape().elements();
      if (isAll && copy.isRun() && elements == input.elements()) {
        return input.reshape(movement.shape());
      }
      if (isAll && copy.isRun() && elements >= MIN_VIEW) {
        return TensorMemory.part(input, movement.shape(), copy.from());
      }
    }
    return Tensor.wrap(movement.dtype(), movement.shape(), array(call, movement));
  }

  /** The elements of an output, in a new array. */
  public static Object array(KernelCall call, Movement movement) {
    Object array =
        movement.isZeroed()
            ? TensorLimit.allocate(movement.dtype(), movement.shape())
            : TensorLimit.allocateUnset(movement.dtype(), movement.shape());
    if (movement.isZeroed() && array instanceof byte[][] strings) {
      Arrays.fill(strings, new byte[0]);
    }
    for (StridedCopy copy : movement.copies()) {
      Tensor input = call.input(copy.input());
      StridedMove move = new StridedMove(movement.dtype().kind());
      for (Dimension dimension : copy.dimensions()) {
        move.dimension(dimension.size(), dimension.fromStride(), dimension.toStride());
      }
      move.run(
          TensorMemory.array(input),
          TensorMemory.offset(input) + copy.from(),
          array,
          copy.to(),
          call.cancellation());
    }
    return array;
  }
}
