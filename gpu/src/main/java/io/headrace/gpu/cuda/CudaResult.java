package io.headrace.gpu.cuda;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The results of driver calls that callers tell apart (CUresult of cuda.h). */
public enum CudaResult {
  /** The call succeeded. */
  SUCCESS(0, false),
  /** An argument is out of range. */
  INVALID_VALUE(1, false),
  /** The device has not enough memory; nothing else is lost. */
  OUT_OF_MEMORY(2, false),
  /** The driver is shutting down. */
  DEINITIALIZED(4, false),
  /** The driver finds no device. */
  NO_DEVICE(100, false),
  /** There is no device of that number. */
  INVALID_DEVICE(101, false),
  /** No context is current on the thread, or it was destroyed. */
  INVALID_CONTEXT(201, false),
  /** The memory failed and could not be corrected. */
  ECC_UNCORRECTABLE(214, true),
  /** The PTX does not compile. */
  INVALID_PTX(218, false),
  /** The driver is too old for the version of the PTX. */
  UNSUPPORTED_PTX_VERSION(222, false),
  /** A handle is not one, or no longer. */
  INVALID_HANDLE(400, false),
  /** A module has no function or variable of that name. */
  NOT_FOUND(500, false),
  /** The work is not done yet. */
  NOT_READY(600, false),
  /** A kernel used an address outside of any allocation. */
  ILLEGAL_ADDRESS(700, true),
  /** A launch needs more registers or shared memory than there are. */
  LAUNCH_OUT_OF_RESOURCES(701, false),
  /** A kernel ran longer than the system allows. */
  LAUNCH_TIMEOUT(702, true),
  /** A kernel executed a trap for a failed assertion. */
  ASSERT(710, true),
  /** Host memory is registered already, in whole or in part. */
  HOST_MEMORY_ALREADY_REGISTERED(712, false),
  /** Host memory is not registered. */
  HOST_MEMORY_NOT_REGISTERED(713, false),
  /** The call stack of a kernel was corrupt. */
  HARDWARE_STACK_ERROR(714, true),
  /** A kernel came to an instruction that the device does not know. */
  ILLEGAL_INSTRUCTION(715, true),
  /** A kernel used an address that is not a multiple of the access's size. */
  MISALIGNED_ADDRESS(716, true),
  /** A kernel used an address of the wrong state space. */
  INVALID_ADDRESS_SPACE(717, true),
  /** A kernel jumped outside of its code. */
  INVALID_PC(718, true),
  /** A kernel failed. */
  LAUNCH_FAILED(719, true),
  /** The device or the driver cannot do what was asked for. */
  NOT_SUPPORTED(801, false),
  /** The driver's library and its kernel module do not match. */
  SYSTEM_DRIVER_MISMATCH(803, false),
  /** An error that the driver has no name for. */
  UNKNOWN(999, true),
  /** A code that is not in this list. */
  OTHER(-1, false);

  private static final Map<Integer, CudaResult> BY_CODE =
      Arrays.stream(values()).collect(Collectors.toMap(CudaResult::code, Function.identity()));

  private final int code;
  private final boolean losesContext;

  CudaResult(int code, boolean losesContext) {
    this.code = code;
    this.losesContext = losesContext;
  }

  /** The result of the number {@code code}. */
  public static CudaResult of(int code) {
    return BY_CODE.getOrDefault(code, OTHER);
  }

  /** The number in cuda.h; -1 for {@link #OTHER}. */
  public int code() {
    return code;
  }

  /** Whether every later call in the context fails, so that it must be made anew. */
  public boolean losesContext() {
    return losesContext;
  }
}
