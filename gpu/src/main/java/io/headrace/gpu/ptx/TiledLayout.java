package io.headrace.gpu.ptx;

import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.elementwise.StridedPlan;
import io.headrace.runtime.elementwise.StridedPlan.Operand;
import io.headrace.runtime.expression.LoopProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How the threads of a {@link TiledPtx} share the results: a block makes tiles over the last two
 * dimensions, the last one along neighboring threads.
 *
 * @param access how the elements of each operand correspond to the results
 * @param dimensions the number of dimensions, at least 2
 * @param width the size of a tile along the last dimension, a power of two of at most 256
 * @param isTall whether dimensions before the last may be larger than a tile
 * @param staged the operands that are read along the last dimension but one, through shared memory;
 *     only of tall tiles
 */
public record TiledLayout(
    List<Access> access, int dimensions, int width, boolean isTall, List<Integer> staged) {
  /** The width and the height of tall tiles. */
  static final int EDGE = 32;

  /** The height of the others, and the greatest size of a dimension that they have in whole. */
  static final int MAX_LOW = 8;

  /** The threads of a block. */
  public static final int BLOCK = 256;

  /** The least size of the last dimension: most threads of a warp would have nothing to do. */
  private static final int MIN_WIDTH = 16;

  /** The bytes of shared memory that a block may take. */
  private static final int MAX_SHARED = 40 << 10;

  /** Copies the lists. */
  public TiledLayout {
    access = List.copyOf(access);
    staged = List.copyOf(staged);
  }

  /**
   * A plan with the dimensions in the order in which tiles are made.
   *
   * @param layout the tiles
   * @param plan with the dimension before the last that the tiles span as the last but one
   */
  public record Tiled(TiledLayout layout, StridedPlan plan) {
    /** The number of tiles along the last dimension. */
    int across() {
      int width = layout.width;
      return (plan.sizes().getLast() + width - 1) / width;
    }

    /** The number of tiles along the last dimension but one. */
    int down() {
      return (plan.sizes().get(layout.dimensions - 2) + layout.height() - 1) / layout.height();
    }

    /** The number of tiles. */
    public int tiles() {
      int tiles = across() * down();
      for (int size : plan.sizes().subList(0, layout.dimensions - 2)) {
        tiles *= size;
      }
      return tiles;
    }
  }

  /** The size of a tile along the last dimension but one. */
  int height() {
    return isTall ? EDGE : MAX_LOW;
  }

  /** The access of the operands of {@code plan}. */
  public static List<Access> access(StridedPlan plan) {
    return IntStream.range(0, plan.operands().size())
        .mapToObj(i ->
            plan.operands().get(i).isSingle()
                ? Access.SINGLE
                : plan.isInOrder(i) ? Access.FULL : Access.PARTIAL)
        .toList();
  }

  /**
   * The tiles in which {@code program} reads its operands side by side; nothing if it does so in
   * the order of the results, or hardly can.
   */
  public static Optional<Tiled> of(LoopProgram program, StridedPlan plan) {
    int last = plan.sizes().size() - 1;
    if (last < 1 || plan.sizes().get(last) < MIN_WIDTH) {
      return Optional.empty();
    }
    int second = -1;
    int bytes = 0;
    for (int i = 0; i < plan.operands().size(); i++) {
      int dense = dense(plan.operands().get(i));
      int own = program.inputs().get(i).byteSize();
      if (dense >= 0 && dense != last && own > bytes) {
        second = dense;
        bytes = own;
      }
    }
    return second < 0
        ? Optional.empty()
        : Optional.of(of(program, plan.withLastButOne(second), plan.sizes().get(second)));
  }

  /**
   * The dimension along which an operand's elements are nearest to each other; the last of these;
   * -1 if there is but one element, or those of the last dimension are side by side.
   */
  private static int dense(Operand operand) {
    int dense = -1;
    int least = Integer.MAX_VALUE;
    for (int i = operand.strides().size() - 1; i >= 0; i--) {
      int distance = Math.abs(operand.strides().get(i));
      if (distance > 0 && distance < least) {
        dense = i;
        least = distance;
      }
    }
    boolean isNear = Math.abs(operand.strides().getLast()) <= 1;
    return isNear ? -1 : dense;
  }

  private static Tiled of(LoopProgram program, StridedPlan plan, int height) {
    int dimensions = plan.sizes().size();
    boolean isTall = height > MAX_LOW;
    List<Integer> staged = new ArrayList<>();
    int shared = 0;
    for (int i = 0; i < plan.operands().size() && isTall; i++) {
      List<Integer> strides = plan.operands().get(i).strides();
      int bytes = stagedBytes(program.inputs().get(i).byteSize());
      if (Math.abs(strides.getLast()) > 1
          && Math.abs(strides.get(dimensions - 2)) == 1
          && shared + bytes <= MAX_SHARED) {
        staged.add(i);
        shared += bytes;
      }
    }
    int width = EDGE;
    while (!isTall && width < BLOCK && width < plan.sizes().getLast()) {
      width *= 2;
    }
    return new Tiled(new TiledLayout(access(plan), dimensions, width, isTall, staged), plan);
  }

  /** The shared memory for a tile of elements of {@code bytes} bytes, with a column to spare. */
  static int stagedBytes(int bytes) {
    return EDGE * (EDGE + 1) * bytes;
  }
}
