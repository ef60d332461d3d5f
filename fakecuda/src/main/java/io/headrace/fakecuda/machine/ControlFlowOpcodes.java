package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxOperand;
import java.util.List;
import java.util.Map;

/** PTX ISA, Control Flow Instructions, and the barrier of a block. */
final class ControlFlowOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.of(
          "bra", ControlFlowOpcodes::bra,
          "ret", ControlFlowOpcodes::ret,
          "exit", ControlFlowOpcodes::exit,
          "trap", ControlFlowOpcodes::trap,
          "bar", ControlFlowOpcodes::bar);

  private static final int BARRIERS = 16;

  private ControlFlowOpcodes() {}

  private static void end(Decoding d, int operands) {
    d.endOfModifiers();
    d.requireOperands(operands);
  }

  private static KernelStep bra(Decoding d) {
    var _ = d.take("uni");
    end(d, 1);
    int target = d.label();
    return _ -> target;
  }

  private static KernelStep ret(Decoding d) {
    var _ = d.take("uni");
    end(d, 0);
    int next = d.returnTo();
    return _ -> next;
  }

  private static KernelStep exit(Decoding d) {
    end(d, 0);
    return _ -> KernelStep.EXIT;
  }

  private static KernelStep trap(Decoding d) {
    end(d, 0);
    return _ -> {
      throw new GpuFault(GpuFault.Kind.TRAP, "a trap");
    };
  }

  /** {@code bar.sync NUMBER}, of all threads of the block; bar.warp is an operation of a warp. */
  private static KernelStep bar(Decoding d) {
    if (d.take("warp")) {
      return WarpOpcodes.barrier(d);
    }
    var _ = d.requireOneOf(List.of("sync"));
    end(d, 1);
    if (!(d.operand(0) instanceof PtxOperand.IntegerLiteral(long number))
        || number < 0
        || number >= BARRIERS) {
      throw new IllegalArgumentException("the number of a barrier is a literal from 0 to 15");
    }
    BlockBarrier barrier = new BlockBarrier((int) number, d.index());
    int next = d.next();
    return thread -> {
      thread.waitsAt = barrier;
      thread.pc = next;
      return KernelStep.WAIT;
    };
  }
}
