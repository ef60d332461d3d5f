package io.headrace.fakecuda.machine;

/** An error of a kernel, of a copy, or of a use of memory. */
public final class GpuFault extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kinds of errors. */
  public enum Kind {
    /** An access outside of allocations, or within one that was freed. */
    ILLEGAL_ADDRESS,
    /** An access at an address that is not a multiple of its size. */
    MISALIGNED_ADDRESS,
    /** A use of a register or of memory that nothing has written. */
    UNINITIALIZED,
    /** Two accesses of which one writes, and which nothing orders. */
    RACE,
    /** Threads that wait for others in vain, or at different places. */
    SYNCHRONIZATION,
    /** A result that the ISA leaves open, such as a division by zero. */
    UNSPECIFIED,
    /** A trap instruction. */
    TRAP,
    /** More steps than the launch may take. */
    TIMEOUT
  }

  private final Kind kind;

  /** A fault of {@code kind}. */
  public GpuFault(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  private GpuFault(Kind kind, String message, GpuFault cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** The kind. */
  public Kind kind() {
    return kind;
  }

  /** This fault with the place where it occurred in front of its message. */
  public GpuFault at(String place) {
    return new GpuFault(kind, place + ": " + getMessage(), this);
  }
}
