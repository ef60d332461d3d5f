package io.headrace.gpu.device;

import org.jspecify.annotations.Nullable;

/**
 * A piece of a device's memory, of which streams know who uses it. Its content is undefined until
 * it is written.
 *
 * <p>It is counted: whoever allocates it holds it once, {@link #retain} once more, and each holder
 * closes it once. The last {@link #close} gives the memory back, though work that uses it may still
 * be on its way; closing needs no device and never waits. Use after that is a bug, and an
 * IllegalStateException. After its device was lost, use fails with UNAVAILABLE, and it is still
 * closed as before. Thread-safe.
 */
public final class DeviceBuffer implements AutoCloseable {
  private final ContextState state;
  private final DeviceMemoryPool pool;
  private final @Nullable MemoryBlock block;
  private final long bytes;
  private final String owner;

  /** All work that uses the memory, that of its earlier owners among it. */
  private final StreamUses uses = new StreamUses();

  /** The last work that wrote it. */
  private final StreamUses writes = new StreamUses();

  private int holders = 1;

  DeviceBuffer(
      ContextState state,
      DeviceMemoryPool pool,
      @Nullable MemoryBlock block,
      long bytes,
      String owner) {
    this.state = state;
    this.pool = pool;
    this.block = block;
    this.bytes = bytes;
    this.owner = owner;
  }

  /**
   * The address on the device, a multiple of 256; 0 if there are no bytes.
   *
   * @throws io.headrace.runtime.status.StatusException UNAVAILABLE if the device was lost
   */
  public long address() {
    synchronized (state.lock) {
      checkOpen();
      return block == null ? 0 : block.address();
    }
  }

  /** The size as it was asked for. */
  public long bytes() {
    return bytes;
  }

  /** Its allocator: the name of a node or an op. */
  public String owner() {
    return owner;
  }

  /** Holds it once more: returns this buffer, which has one more {@link #close} to come. */
  public DeviceBuffer retain() {
    synchronized (state.lock) {
      checkOpen();
      holders++;
      return this;
    }
  }

  @Override
  public void close() {
    synchronized (state.lock) {
      checkHeld();
      if (--holders == 0 && block != null) {
        pool.free(block, uses);
      }
    }
  }

  /** Fails if it is closed, its device lost, or {@code user} is another context. */
  void checkUsable(ContextState user) {
    synchronized (state.lock) {
      checkOpen();
    }
    if (user != state) {
      throw new IllegalArgumentException(this + " is used on " + user.device());
    }
  }

  private void checkOpen() {
    checkHeld();
    state.check();
  }

  private void checkHeld() {
    if (holders == 0) {
      throw new IllegalStateException(this + " is used after it was closed");
    }
  }

  StreamUses uses() {
    return uses;
  }

  StreamUses writes() {
    return writes;
  }

  @Override
  public String toString() {
    return "a buffer of %d bytes of %s on %s".formatted(bytes, owner, state.device());
  }
}
