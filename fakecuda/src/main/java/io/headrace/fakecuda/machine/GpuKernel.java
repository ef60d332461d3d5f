package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxVariable;
import java.util.ArrayList;
import java.util.List;

/** A kernel of a loaded module. Immutable. */
public final class GpuKernel {
  private final KernelCode code;
  private final List<Parameter> parameters;

  GpuKernel(KernelCode code) {
    this.code = code;
    this.parameters = layout(code.parameters());
  }

  /** Where a parameter lies among the arguments. */
  public record Parameter(int offset, int bytes) {}

  /** Places parameters one behind the other, each aligned. */
  static List<Parameter> layout(List<PtxVariable> variables) {
    List<Parameter> placed = new ArrayList<>();
    int end = 0;
    for (PtxVariable variable : variables) {
      int offset = (end + variable.align() - 1) / variable.align() * variable.align();
      placed.add(new Parameter(offset, variable.bytes()));
      end = offset + variable.bytes();
    }
    return List.copyOf(placed);
  }

  KernelCode code() {
    return code;
  }

  /** The kernel's name. */
  public String name() {
    return code.name();
  }

  /** The parameters in order. */
  public List<Parameter> parameters() {
    return parameters;
  }

  /** The size of all arguments. */
  public int argumentBytes() {
    return parameters.isEmpty() ? 0 : parameters.getLast().offset() + parameters.getLast().bytes();
  }

  /** The shared memory that the kernel declares. */
  public int sharedBytes() {
    return code.sharedBytes();
  }

  /** The local memory of a thread. */
  public int localBytes() {
    return code.localBytes();
  }

  /** The registers that the kernel declares; a compiler needs fewer. */
  public int registers() {
    return code.registers().size();
  }

  /** The threads of a block, at most. */
  public int maxThreads() {
    return code.limits().entrySet().stream()
        .filter(limit -> !limit.getKey().startsWith("min") && !limit.getKey().equals("maxnreg"))
        .map(limit -> limit.getValue().stream().reduce(1, Math::multiplyExact))
        .findFirst()
        .orElse(KernelLaunch.MAX_BLOCK);
  }

  /** Fails unless blocks may have this size. */
  void checkBlock(Dimensions block) {
    List<Integer> required = code.limits().get("reqntid");
    int threads = block.count();
    if (threads > maxThreads() || (required != null && threads != maxThreads())) {
      throw new IllegalArgumentException(
          "%s runs in blocks of %s%d threads, not %d"
              .formatted(name(), required == null ? "at most " : "", maxThreads(), threads));
    }
  }
}
