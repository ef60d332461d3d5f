package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.B32;
import static io.headrace.fakecuda.ptx.PtxType.B64;
import static io.headrace.fakecuda.ptx.PtxType.F32;
import static io.headrace.fakecuda.ptx.PtxType.F64;
import static io.headrace.fakecuda.ptx.PtxType.S32;
import static io.headrace.fakecuda.ptx.PtxType.S64;
import static io.headrace.fakecuda.ptx.PtxType.U32;
import static io.headrace.fakecuda.ptx.PtxType.U64;

import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.Map;

/**
 * PTX ISA, Parallel Synchronization and Communication Instructions: atom and red. They order no
 * other accesses.
 */
final class AtomicOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.of("atom", AtomicOpcodes::compile, "red", AtomicOpcodes::compile);

  private AtomicOpcodes() {}

  /** The new value of an atomic operation. */
  @FunctionalInterface
  private interface Update {
    long apply(GpuThread thread, long old);
  }

  private static KernelStep compile(Decoding d) {
    boolean returns = d.opcode().equals("atom");
    String space = d.requireOneOf(List.of("global", "shared"));
    String operation =
        d.requireOneOf(
            returns
                ? List.of("add", "min", "max", "and", "or", "xor", "exch", "cas")
                : List.of("add", "min", "max", "and", "or", "xor"));
    PtxType type = d.requireType(types(operation));
    d.endOfModifiers();
    int first = returns ? 1 : 0;
    boolean isSwap = operation.equals("cas");
    d.requireOperands(first + (isSwap ? 3 : 2));
    Value address = Addresses.of(d, d.operand(first), space);
    Value operand = d.value(first + 1, type);
    Value swapped = isSwap ? d.value(first + 2, type) : _ -> 0;
    boolean isShared = space.equals("shared");
    // Additions of floats in global memory flush subnormal numbers, those in shared memory do not.
    boolean flush = type == F32 && !isShared;
    Update update = update(operation, type, operand, swapped, flush);
    Target target = returns ? d.target(0, type) : (_, _) -> {};
    DeviceMemory memory = d.memory();
    int bytes = type.bytes();
    int next = d.next();
    return thread -> {
      long at = address.get(thread);
      if (at % bytes != 0) {
        throw new GpuFault(
            GpuFault.Kind.MISALIGNED_ADDRESS,
            "an update of %d bytes at %s".formatted(bytes, DeviceMemory.hex(at)));
      }
      long old =
          isShared
              ? updateShared(thread, at, type, update)
              : updateGlobal(memory, thread, at, type, update);
      target.set(thread, old);
      return next;
    };
  }

  private static PtxType[] types(String operation) {
    return switch (operation) {
      case "add" -> new PtxType[] {U32, S32, U64, F32, F64};
      case "min", "max" -> new PtxType[] {U32, S32, U64, S64};
      default -> new PtxType[] {B32, B64};
    };
  }

  private static long updateShared(GpuThread thread, long at, PtxType type, Update update) {
    long old = thread.block.beginSharedUpdate(thread, at, type.bytes());
    thread.block.endSharedUpdate(at, type.bytes(), update.apply(thread, type.extend(old)));
    return old;
  }

  private static long updateGlobal(
      DeviceMemory memory, GpuThread thread, long address, PtxType type, Update update) {
    Allocation allocation = memory.at(address, type.bytes(), "update");
    int at = (int) (address - allocation.address());
    allocation.history().update(thread.accessor, at, type.bytes());
    long old = LittleEndian.get(allocation.data(), at, type.bytes());
    LittleEndian.set(allocation.data(), at, type.bytes(), update.apply(thread, type.extend(old)));
    return old;
  }

  private static Update update(
      String operation, PtxType type, Value operand, Value swapped, boolean flush) {
    return switch (operation) {
      case "add" ->
          type.isFloat()
              ? (thread, old) ->
                  Floats.bits(
                      type,
                      Floats.value(type, old, flush)
                          + Floats.value(type, operand.get(thread), flush),
                      flush)
              : (thread, old) -> old + operand.get(thread);
      case "min" ->
          (thread, old) -> compare(type, old, operand.get(thread)) <= 0 ? old : operand.get(thread);
      case "max" ->
          (thread, old) -> compare(type, old, operand.get(thread)) >= 0 ? old : operand.get(thread);
      case "and" -> (thread, old) -> old & operand.get(thread);
      case "or" -> (thread, old) -> old | operand.get(thread);
      case "xor" -> (thread, old) -> old ^ operand.get(thread);
      case "exch" -> (thread, _) -> operand.get(thread);
      case "cas" -> (thread, old) -> old == operand.get(thread) ? swapped.get(thread) : old;
      default -> throw new AssertionError(operation);
    };
  }

  private static int compare(PtxType type, long a, long b) {
    return type.isSigned() ? Long.compare(a, b) : Long.compareUnsigned(a, b);
  }
}
