package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.B16;
import static io.headrace.fakecuda.ptx.PtxType.B32;
import static io.headrace.fakecuda.ptx.PtxType.B64;
import static io.headrace.fakecuda.ptx.PtxType.B8;
import static io.headrace.fakecuda.ptx.PtxType.F32;
import static io.headrace.fakecuda.ptx.PtxType.F64;
import static io.headrace.fakecuda.ptx.PtxType.PRED;
import static io.headrace.fakecuda.ptx.PtxType.S16;
import static io.headrace.fakecuda.ptx.PtxType.S32;
import static io.headrace.fakecuda.ptx.PtxType.S64;
import static io.headrace.fakecuda.ptx.PtxType.S8;
import static io.headrace.fakecuda.ptx.PtxType.U16;
import static io.headrace.fakecuda.ptx.PtxType.U32;
import static io.headrace.fakecuda.ptx.PtxType.U64;
import static io.headrace.fakecuda.ptx.PtxType.U8;

import io.headrace.fakecuda.ptx.PtxOperand;
import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.Map;

/** PTX ISA, Data Movement and Conversion Instructions: mov, ld, st and cvta. */
final class MovementOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.of(
          "mov", MovementOpcodes::mov,
          "ld", MovementOpcodes::ld,
          "st", MovementOpcodes::st,
          "cvta", MovementOpcodes::cvta);

  private static final PtxType[] MEMORY_TYPES = {
    B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64
  };

  private static final List<String> SPACES = List.of("param", "global", "shared", "local", "const");

  private MovementOpcodes() {}

  private static KernelStep mov(Decoding d) {
    PtxType type = d.requireType(PRED, B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64);
    d.endOfModifiers();
    d.requireOperands(2);
    if (d.operand(0) instanceof PtxOperand.Vector(List<PtxOperand> parts)) {
      return unpack(d, parts, type);
    }
    if (d.operand(1) instanceof PtxOperand.Vector(List<PtxOperand> parts)) {
      return d.assign(type, pack(d, parts, type));
    }
    if (d.operand(1) instanceof PtxOperand.Name(String name)
        && Addresses.isVariable(d, name)
        && type.bits() >= 32
        && !type.isFloat()) {
      return d.assign(type, Addresses.ofVariable(d, name));
    }
    if (type == PRED && d.operand(1) instanceof PtxOperand.IntegerLiteral(long value)) {
      // NVIDIA's compiler writes -1 for true.
      long bit = value == 0 ? 0 : 1;
      return d.assign(type, _ -> bit);
    }
    return d.assign(type, d.value(1, type));
  }

  private static PtxType partType(PtxType whole, int parts) {
    return PtxType.of("b" + (parts == 0 ? 0 : whole.bits() / parts))
        .filter(part -> whole.isBits() && part.bits() * parts == whole.bits())
        .orElseThrow(() ->
            new IllegalArgumentException(
                "%s is not packed of %d parts".formatted(whole.text(), parts)));
  }

  private static KernelStep unpack(Decoding d, List<PtxOperand> parts, PtxType type) {
    PtxType partType = partType(type, parts.size());
    Value whole = d.value(1, type);
    Target[] targets =
        parts.stream().map(part -> d.target(part, partType, false)).toArray(Target[]::new);
    int next = d.next();
    return thread -> {
      long bits = whole.get(thread);
      for (int i = 0; i < targets.length; i++) {
        targets[i].set(thread, bits >>> (i * partType.bits()));
      }
      return next;
    };
  }

  private static Value pack(Decoding d, List<PtxOperand> parts, PtxType type) {
    PtxType partType = partType(type, parts.size());
    Value[] values =
        parts.stream().map(part -> d.value(part, partType, false)).toArray(Value[]::new);
    return thread -> {
      long bits = 0;
      for (int i = 0; i < values.length; i++) {
        bits |= values[i].get(thread) << (i * partType.bits());
      }
      return bits;
    };
  }

  /** The modifiers of a load or a store. */
  private record Access(String space, boolean nonCoherent, int elements, PtxType type) {
    static Access of(Decoding d) {
      String space = d.takeOneOf(SPACES).orElse("generic");
      boolean nonCoherent = space.equals("global") && d.opcode().equals("ld") && d.take("nc");
      int elements =
          d.takeOneOf(List.of("v2", "v4")).map(vector -> vector.equals("v2") ? 2 : 4).orElse(1);
      PtxType type = d.requireType(MEMORY_TYPES);
      d.endOfModifiers();
      d.requireOperands(2);
      if (elements * type.bytes() > 16) {
        throw new IllegalArgumentException("a vector has 16 bytes at most");
      }
      return new Access(space, nonCoherent, elements, type);
    }

    List<PtxOperand> registers(PtxOperand operand) {
      List<PtxOperand> registers =
          operand instanceof PtxOperand.Vector(List<PtxOperand> parts) ? parts : List.of(operand);
      if (registers.size() != elements) {
        throw new IllegalArgumentException(
            "%d registers are given, %d are expected".formatted(registers.size(), elements));
      }
      return registers;
    }

    /** Counts an access of global memory, where somebody asks for that. */
    void count(GpuThread thread, long address, boolean isStore) {
      MemoryTraffic traffic = thread.block.traffic;
      if (traffic != null && space.equals("global")) {
        traffic.add(thread, address, elements * type.bytes(), isStore);
      }
    }

    /** Fails if an address is no multiple of all elements' size. */
    void checkAlignment(long address) {
      if (address % ((long) elements * type.bytes()) != 0) {
        throw new GpuFault(
            GpuFault.Kind.MISALIGNED_ADDRESS,
            "an access of %d bytes at %s"
                .formatted(elements * type.bytes(), DeviceMemory.hex(address)));
      }
    }
  }

  private static KernelStep ld(Decoding d) {
    Access access = Access.of(d);
    Target[] targets =
        access.registers(d.operand(0)).stream()
            .map(register -> d.target(register, access.type(), true))
            .toArray(Target[]::new);
    Value address = Addresses.of(d, d.operand(1), access.space());
    StateSpace space = StateSpace.of(d, access.space(), access.nonCoherent());
    int bytes = access.type().bytes();
    int next = d.next();
    return thread -> {
      long at = address.get(thread);
      access.checkAlignment(at);
      access.count(thread, at, false);
      for (int i = 0; i < targets.length; i++) {
        targets[i].set(thread, space.load(thread, at + (long) i * bytes, bytes));
      }
      return next;
    };
  }

  private static KernelStep st(Decoding d) {
    Access access = Access.of(d);
    if (access.space().equals("const")) {
      throw new IllegalArgumentException("nothing is stored in the space const");
    }
    Value address = Addresses.of(d, d.operand(0), access.space());
    Value[] values =
        access.registers(d.operand(1)).stream()
            .map(register -> d.value(register, access.type(), true))
            .toArray(Value[]::new);
    StateSpace space = StateSpace.of(d, access.space(), false);
    int bytes = access.type().bytes();
    int next = d.next();
    return thread -> {
      long at = address.get(thread);
      access.checkAlignment(at);
      access.count(thread, at, true);
      for (int i = 0; i < values.length; i++) {
        space.store(thread, at + (long) i * bytes, bytes, values[i].get(thread));
      }
      return next;
    };
  }

  /** Converts an address between a space and the generic one, in which each has a window. */
  private static KernelStep cvta(Decoding d) {
    boolean toSpace = d.take("to");
    String space = d.requireOneOf(List.of("global", "shared", "local", "const"));
    PtxType type = d.requireType(U64);
    d.endOfModifiers();
    d.requireOperands(2);
    long window = StateSpace.window(space);
    Value address =
        d.operand(1) instanceof PtxOperand.Name(String name) && Addresses.isVariable(d, name)
            ? Addresses.ofVariable(d, name)
            : d.value(1, type);
    return d.assign(
        type, thread -> toSpace ? address.get(thread) - window : address.get(thread) + window);
  }
}
