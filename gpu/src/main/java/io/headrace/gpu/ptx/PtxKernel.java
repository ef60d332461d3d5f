package io.headrace.gpu.ptx;

import java.util.List;

/**
 * A kernel as text. Immutable.
 *
 * @param text the module, which has this kernel only
 * @param name the kernel's name
 * @param parameters what a launch passes, in order
 * @param width the results that a thread computes at once; 1 also for tiles
 */
public record PtxKernel(String text, String name, List<Parameter> parameters, int width) {
  /** The most blocks if a thread computes one result at once. */
  private static final int FEW = 1 << 12;

  /** The most blocks otherwise; more are no faster on an H100. */
  private static final int MANY = 1 << 16;

  /** The meaning of a parameter; addresses have 64 bits, numbers 32. */
  public enum Role {
    /** The address of the results. */
    OUTPUT,
    /** The address of operand {@link Parameter#operand}. */
    OPERAND,
    /** The number of results: at least 1, less than 2^31, as are those of a step of all threads. */
    COUNT,
    /** The address of the error word, of 64 bits; see {@link ElementError}. */
    ERROR,
    /** The size of collapsed dimension {@link Parameter#dimension}. */
    SIZE,
    /**
     * The elements of operand {@link Parameter#operand} from one index of the dimension {@link
     * Parameter#dimension} to the next; 0 if they are repeated along it, negative if reversed.
     */
    STRIDE,
    /** The results from one index of the dimension {@link Parameter#dimension} to the next. */
    TARGET_STRIDE,
    /** The number of tiles: at least 1, less than 2^31, as with the number of blocks added. */
    TILES,
    /** The number of tiles along the last dimension. */
    ACROSS,
    /** The number of tiles along the last dimension but one. */
    DOWN
  }

  /**
   * One parameter.
   *
   * @param operand the operand that it belongs to, otherwise 0
   * @param dimension the collapsed dimension that it belongs to, counted from the outermost one,
   *     otherwise 0
   */
  public record Parameter(Role role, int operand, int dimension) {
    /** Its name in the kernel. */
    String name() {
      return switch (role) {
        case OUTPUT -> "output";
        case COUNT -> "count";
        case ERROR -> "error";
        case OPERAND -> "operand" + operand;
        case SIZE -> "size" + dimension;
        case STRIDE -> "stride" + operand + "_" + dimension;
        case TARGET_STRIDE -> "targetStride" + dimension;
        case TILES -> "tiles";
        case ACROSS -> "across";
        case DOWN -> "down";
      };
    }

    /** Whether it is an address. */
    boolean isAddress() {
      return role == Role.OUTPUT || role == Role.OPERAND || role == Role.ERROR;
    }

    /** Its declaration. */
    String declaration() {
      return (isAddress() ? ".param .u64 " : ".param .u32 ") + name();
    }
  }

  /** Copies the list. */
  public PtxKernel {
    parameters = List.copyOf(parameters);
  }

  /**
   * The blocks of a launch: as many as compute all results in one step, up to a bound: it costs
   * less to let a thread take one more step than to start one for a single result.
   *
   * @param elements the results
   * @param threads those of a block
   */
  public int blocks(int elements, int threads) {
    long perBlock = (long) threads * width;
    return (int) Math.min((elements + perBlock - 1) / perBlock, width == 1 ? FEW : MANY);
  }

  /** Whether a launch passes an error word. */
  public boolean canFail() {
    return parameters.stream().anyMatch(parameter -> parameter.role() == Role.ERROR);
  }
}
