package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxOperand;
import io.headrace.fakecuda.ptx.PtxType;

/** The addresses that operands stand for, each within its space. */
final class Addresses {
  private Addresses() {}

  /** Whether {@code name} is a variable, whose address a register may hold. */
  static boolean isVariable(Decoding d, String name) {
    return d.symbol(name).filter(symbol -> !(symbol instanceof Symbol.Register)).isPresent();
  }

  /** The address of a variable in its space. */
  static Value ofVariable(Decoding d, String name) {
    Symbol symbol =
        d.symbol(name)
            .orElseThrow(() -> new IllegalArgumentException("there is no variable " + name));
    return switch (symbol) {
      case Symbol.Global(long address) -> _ -> address;
      case Symbol.Shared(int offset) -> _ -> GpuBlock.SHARED_BASE + offset;
      case Symbol.DynamicShared() -> thread -> GpuBlock.SHARED_BASE + thread.code.sharedBytes();
      case Symbol.Local(int offset, _) -> _ -> offset;
      case Symbol.KernelParameter(int offset, _) -> _ -> offset;
      case Symbol.Register _ ->
          throw new IllegalArgumentException(name + " is a register, not a variable");
    };
  }

  /** The address in brackets of an access to {@code space}. */
  static Value of(Decoding d, PtxOperand operand, String space) {
    if (!(operand instanceof PtxOperand.Address(String base, long offset))) {
      throw new IllegalArgumentException("an address is in brackets");
    }
    if (base.isEmpty()) {
      return _ -> offset;
    }
    Value start;
    if (isVariable(d, base)) {
      checkSpace(d, base, space);
      start = ofVariable(d, base);
    } else {
      start = d.value(new PtxOperand.Name(base), addressType(d, base), false);
    }
    return offset == 0 ? start : thread -> start.get(thread) + offset;
  }

  /** Addresses of shared memory may have 32 bits. */
  private static PtxType addressType(Decoding d, String base) {
    return d.symbol(base).orElse(null) instanceof Symbol.Register(_, PtxType type)
            && type.bits() == 32
        ? PtxType.U32
        : PtxType.U64;
  }

  private static void checkSpace(Decoding d, String name, String space) {
    boolean fits =
        switch (d.symbol(name).orElseThrow()) {
          case Symbol.Global _ -> space.equals("global") || space.equals("const");
          case Symbol.Shared _, Symbol.DynamicShared _ -> space.equals("shared");
          case Symbol.Local _ -> space.equals("local") || space.equals("param");
          case Symbol.KernelParameter _ -> space.equals("param");
          case Symbol.Register _ -> false;
        };
    if (!fits) {
      throw new IllegalArgumentException(name + " is not in the space " + space);
    }
  }
}
