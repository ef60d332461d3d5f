package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.StridedPlan;
import io.headrace.runtime.elementwise.StridedView;
import io.headrace.runtime.execute.OperandPaths.Operand;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.MovingKernel;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.DeviceStorage;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The shapes of the values of a group in one call, and the views of its operands. Not thread-safe.
 */
final class MovementShapes {
  private final Program group;
  private final List<Kernel.Sync> kernels;
  private final KernelCall call;
  private final @Nullable RowsCall many;
  private final @Nullable Shape[] shapes;
  private final boolean[] areRows;

  /** The views that moving steps take of their input. */
  private final @Nullable StridedView[] views;

  /**
   * The values of a call.
   *
   * @param kernels the CPU's kernels of the moving steps; those of other steps are not used
   * @param many the same call, if it is one for many rows
   */
  MovementShapes(
      Program group, List<Kernel.Sync> kernels, KernelCall call, @Nullable RowsCall many) {
    this.group = group;
    this.kernels = kernels;
    this.call = call;
    this.many = many;
    this.shapes = new Shape[group.initial().size()];
    this.areRows = new boolean[shapes.length];
    this.views = new StridedView[group.steps().size()];
  }

  /**
   * How {@code operands} are read; nothing if that is no plan, or there is no element.
   *
   * @throws io.headrace.runtime.status.StatusException as the steps do, for shapes and parameters
   */
  Optional<StridedPlan> plan(List<Operand> operands) {
    for (int i = 0; i < shapes.length; i++) {
      shapes[i] = group.initial().get(i).map(Tensor::shape).orElse(null);
    }
    for (int i = 0; i < group.arguments().size(); i++) {
      shapes[group.arguments().get(i)] = call.input(i).shape();
      areRows[group.arguments().get(i)] = many != null && many.isRows(i);
    }
    for (int i = 0; i < group.steps().size(); i++) {
      if (!run(i)) {
        return Optional.empty();
      }
    }
    if (result().elements() == 0) {
      return Optional.empty();
    }
    List<StridedView> all = new ArrayList<>();
    for (Operand operand : operands) {
      Optional<StridedView> view = view(operand);
      if (view.isEmpty()) {
        return Optional.empty();
      }
      all.add(view.get());
    }
    return StridedPlan.of(all);
  }

  /** The shape of the result, with the row dimension if there are many. */
  Shape result() {
    return shape(group.results().getFirst());
  }

  private Shape shape(int register) {
    return Objects.requireNonNull(shapes[register]);
  }

  private boolean run(int index) {
    Step step = group.steps().get(index);
    int output = step.firstOutput();
    for (int input : step.inputs()) {
      areRows[output] |= areRows[input];
    }
    return switch (FusedRole.of(step)) {
      case ELEMENTWISE -> broadcast(step);
      case MOVES -> move(index, step);
      case RESHAPES -> reshape(index, step);
      case NONE -> throw new IllegalStateException(step.node() + " is in a group");
    };
  }

  private boolean broadcast(Step step) {
    List<Shape> inputs = step.inputs().stream().map(this::shape).toList();
    shapes[step.firstOutput()] = BroadcastPlan.ofRows(inputs, rowsMask(step.inputs())).output();
    return true;
  }

  private long rowsMask(List<Integer> registers) {
    long mask = 0;
    for (int i = 0; i < registers.size(); i++) {
      mask |= areRows[registers.get(i)] ? 1L << i : 0;
    }
    return mask;
  }

  private boolean move(int index, Step step) {
    if (!(kernels.get(index) instanceof MovingKernel moving)) {
      throw new IllegalStateException(step.node().op() + " moves nothing");
    }
    ShapeCall asked = new ShapeCall(step);
    List<Movement> movements =
        areRows[step.firstOutput()] ? moving.movementsOfRows(asked) : moving.movements(asked);
    if (movements == null || movements.getFirst().shape().elements() == 0) {
      return false;
    }
    Movement movement = movements.getFirst();
    shapes[step.firstOutput()] = movement.shape();
    views[index] = StridedView.of(movement).orElse(null);
    return views[index] != null;
  }

  /** Runs a kernel that gives its input another shape, and looks whether it read no element. */
  private boolean reshape(int index, Step step) {
    int from = step.inputs().getFirst();
    ShapeCall asked = new ShapeCall(step);
    if (areRows[step.firstOutput()] != areRows[from] || shape(from).elements() == 0) {
      return false;
    }
    if (!areRows[from]) {
      kernels.get(index).compute(asked);
    } else if (!kernels.get(index).computeRows(asked)) {
      return false;
    }
    Tensor output = asked.output;
    if (output == null || TensorMemory.device(output) != Unread.INSTANCE) {
      return false;
    }
    shapes[step.firstOutput()] = output.shape();
    views[index] = StridedView.all(output.elements());
    return true;
  }

  private Optional<StridedView> view(Operand operand) {
    int register = group.arguments().get(operand.argument());
    Optional<StridedView> view = Optional.of(StridedView.all(shape(register).elements()));
    for (int movement : operand.movements()) {
      Step step = group.steps().get(movement);
      view = repeated(view, register, step.inputs().getFirst());
      StridedView moved = Objects.requireNonNull(views[movement]);
      view = view.flatMap(known -> known.then(moved));
      register = step.firstOutput();
    }
    return repeated(view, register, group.results().getFirst());
  }

  /** {@code view}, of the elements of {@code from}, as far as {@code to} has these repeated. */
  private Optional<StridedView> repeated(Optional<StridedView> view, int from, int to) {
    if (shape(from).equals(shape(to)) && areRows[from] == areRows[to]) {
      return view;
    }
    BroadcastPlan plan =
        BroadcastPlan.ofRows(List.of(shape(from), shape(to)), rowsMask(List.of(from, to)));
    return view.flatMap(known -> known.then(StridedView.of(plan, 0)));
  }

  /** The storage of tensors of which only the shape is known. */
  private enum Unread implements DeviceStorage {
    INSTANCE;

    @Override
    public Object toHost() {
      throw new IllegalStateException("a kernel read elements of which it tells the movements");
    }
  }

  /** A call of a step's kernel that has the shape of the first input, and the other inputs. */
  private final class ShapeCall implements RowsCall {
    private final Step step;
    private @Nullable Tensor output;

    ShapeCall(Step step) {
      this.step = step;
    }

    @Override
    public int inputs() {
      return step.inputs().size();
    }

    @Override
    public Tensor input(int index) {
      int register = step.inputs().get(index);
      if (index == 0) {
        DataType dtype = step.inputType(0);
        return TensorMemory.onDevice(dtype, shape(register), Unread.INSTANCE);
      }
      int argument = group.arguments().indexOf(register);
      return argument < 0 ? group.initial().get(register).orElseThrow() : call.input(argument);
    }

    @Override
    public void setOutput(int index, Tensor value) {
      output = value;
    }

    @Override
    public StepContext step() {
      return call.step();
    }

    @Override
    public int rows() {
      return many == null ? 1 : many.rows();
    }

    @Override
    public boolean isRows(int index) {
      return areRows[step.inputs().get(index)];
    }
  }
}
