package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import io.headrace.fakecuda.ptx.PtxOperand;

/** A state space as loads and stores see it (PTX ISA, State Spaces). */
interface StateSpace {
  /** The bits at an address, extended with zeros. */
  long load(GpuThread thread, long address, int bytes);

  /** Sets the low bits of {@code value} at an address. */
  void store(GpuThread thread, long address, int bytes, long value);

  /** Where shared memory begins among generic addresses. */
  long SHARED_WINDOW = 0x1_0000_0000L;

  /** Where local memory begins among generic addresses. */
  long LOCAL_WINDOW = 0x2_0000_0000L;

  /** The size of these windows. */
  long WINDOW_BYTES = 0x1_0000_0000L;

  /** The difference between a generic address and one in {@code space}. */
  static long window(String space) {
    return switch (space) {
      case "shared" -> SHARED_WINDOW;
      case "local" -> LOCAL_WINDOW;
      default -> 0;
    };
  }

  /** The space that an instruction names. */
  static StateSpace of(Decoding d, String name, boolean nonCoherent) {
    return switch (name) {
      case "global", "const" -> new Global(d.memory(), nonCoherent);
      case "shared" -> new Shared();
      case "local" -> new Local();
      case "param" -> isKernelParameter(d) ? new Arguments() : new Local();
      default -> new Generic(new Global(d.memory(), false));
    };
  }

  private static boolean isKernelParameter(Decoding d) {
    PtxOperand address = d.operand(d.opcode().equals("ld") ? 1 : 0);
    boolean isParameter =
        address instanceof PtxOperand.Address(String base, _)
            && d.symbol(base).orElse(null) instanceof Symbol.KernelParameter;
    if (isParameter && d.opcode().equals("st")) {
      throw new IllegalArgumentException("nothing is stored in a kernel's parameters");
    }
    return isParameter;
  }

  /** The device's memory. */
  record Global(DeviceMemory memory, boolean nonCoherent) implements StateSpace {
    @Override
    public long load(GpuThread thread, long address, int bytes) {
      Allocation allocation = memory.at(address, bytes, "load");
      int at = (int) (address - allocation.address());
      if (nonCoherent) {
        allocation.history().readNonCoherent(thread.accessor, at, bytes);
      } else {
        allocation.history().read(thread.accessor, at, bytes);
      }
      return LittleEndian.get(allocation.data(), at, bytes);
    }

    @Override
    public void store(GpuThread thread, long address, int bytes, long value) {
      Allocation allocation = memory.at(address, bytes, "store");
      int at = (int) (address - allocation.address());
      allocation.history().write(thread.accessor, at, bytes);
      LittleEndian.set(allocation.data(), at, bytes, value);
    }
  }

  /** The memory of a block. */
  record Shared() implements StateSpace {
    @Override
    public long load(GpuThread thread, long address, int bytes) {
      return thread.block.loadShared(thread, address, bytes);
    }

    @Override
    public void store(GpuThread thread, long address, int bytes, long value) {
      thread.block.storeShared(thread, address, bytes, value);
    }
  }

  /** The memory of a thread. */
  record Local() implements StateSpace {
    @Override
    public long load(GpuThread thread, long address, int bytes) {
      return thread.loadLocal(address, bytes);
    }

    @Override
    public void store(GpuThread thread, long address, int bytes, long value) {
      thread.storeLocal(address, bytes, value);
    }
  }

  /** The arguments of the kernel. */
  record Arguments() implements StateSpace {
    @Override
    public long load(GpuThread thread, long address, int bytes) {
      byte[] arguments = thread.block.launch.arguments();
      if (address < 0 || address > arguments.length - bytes) {
        throw new GpuFault(
            Kind.ILLEGAL_ADDRESS,
            "load of %d bytes at %d of %d bytes of arguments"
                .formatted(bytes, address, arguments.length));
      }
      return LittleEndian.get(arguments, (int) address, bytes);
    }

    @Override
    public void store(GpuThread thread, long address, int bytes, long value) {
      throw new AssertionError("refused when it was compiled");
    }
  }

  /** All of them, each in its window. */
  record Generic(Global global) implements StateSpace {
    private static boolean isIn(long window, long address) {
      return address >= window && address < window + WINDOW_BYTES;
    }

    @Override
    public long load(GpuThread thread, long address, int bytes) {
      if (isIn(SHARED_WINDOW, address)) {
        return thread.block.loadShared(thread, address - SHARED_WINDOW, bytes);
      }
      return isIn(LOCAL_WINDOW, address)
          ? thread.loadLocal(address - LOCAL_WINDOW, bytes)
          : global.load(thread, address, bytes);
    }

    @Override
    public void store(GpuThread thread, long address, int bytes, long value) {
      if (isIn(SHARED_WINDOW, address)) {
        thread.block.storeShared(thread, address - SHARED_WINDOW, bytes, value);
      } else if (isIn(LOCAL_WINDOW, address)) {
        thread.storeLocal(address - LOCAL_WINDOW, bytes, value);
      } else {
        global.store(thread, address, bytes, value);
      }
    }
  }
}
