package io.headrace.gpu.device;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Copies between tensors of the host and buffers of a device, on streams of their own. Arrays are
 * copied by slots of pinned memory: what is larger than a slot in pieces, of which the device moves
 * one while the host fills or empties another. Large results can go to pinned memory of their own,
 * without the host. Elements keep their bits: a bool takes a byte, a complex number two
 * floating-point numbers. Thread-safe.
 */
public final class TensorCopies {
  private final ContextState state;
  private final GpuStream toDevice;
  private final GpuStream toHost;
  private final PinnedRing in;
  private final PinnedRing out;
  private final PinnedBlocks blocks;
  private final long leastBlockBytes;
  private final DeviceMemoryPool pool;

  /** Held for reading where the host touches slots; for writing where they are freed. */
  private final ReadWriteLock slotsExist = new ReentrantReadWriteLock();

  TensorCopies(
      ContextState state,
      GpuStream toDevice,
      GpuStream toHost,
      PinnedRing in,
      PinnedRing out,
      PinnedBlocks blocks,
      long leastBlockBytes,
      DeviceMemoryPool pool) {
    this.state = state;
    this.toDevice = toDevice;
    this.toHost = toHost;
    this.in = in;
    this.out = out;
    this.blocks = blocks;
    this.leastBlockBytes = leastBlockBytes;
    this.pool = pool;
  }

  /**
   * A new buffer with the elements of {@code tensor}. Returns when they are read; work that reads
   * the buffer waits for the copy on the device.
   *
   * @param owner names the node or op that the memory is for
   * @throws StatusException INVALID_ARGUMENT for strings, resources and variants
   */
  public DeviceBuffer toDevice(Tensor tensor, String owner, HostWait wait) {
    checkFixedWidth(tensor.dtype());
    DeviceBuffer buffer = pool.allocate(tensor.byteSize(), owner, toDevice, wait);
    try {
      write(tensor, buffer, wait);
      return buffer;
    } catch (RuntimeException | Error e) {
      buffer.close();
      throw e;
    }
  }

  /** Copies the elements of {@code tensor} to the start of a buffer, as {@link #toDevice} does. */
  public void write(Tensor tensor, DeviceBuffer to, HostWait wait) {
    checkFixedWidth(tensor.dtype());
    MemorySegment elements = elements(tensor);
    write(
        elements.byteSize(),
        (at, piece) -> piece.copyFrom(elements.asSlice(at, piece.byteSize())),
        to,
        wait);
  }

  /** The bytes of a tensor, where the host has them. */
  private static MemorySegment elements(Tensor tensor) {
    MemorySegment outsideTheHeap = TensorMemory.segment(tensor);
    return outsideTheHeap == null
        ? segment(TensorMemory.array(tensor))
            .asSlice(
                (long) TensorMemory.offset(tensor) * tensor.dtype().byteSize(), tensor.byteSize())
        : outsideTheHeap;
  }

  /** The bytes of a buffer, as the host tells them. */
  @FunctionalInterface
  public interface HostBytes {
    /**
     * Writes the bytes from {@code at} on to {@code piece}, all of it. The pieces come in order, on
     * the caller's thread.
     */
    void read(long at, MemorySegment piece);
  }

  /** Writes {@code bytes} bytes to the start of a buffer, as {@link #toDevice} does. */
  public void write(long bytes, HostBytes from, DeviceBuffer to, HostWait wait) {
    checkFits(bytes, to);
    for (long at = 0; at < bytes; at += in.slotBytes()) {
      writePiece(from, Math.min(in.slotBytes(), bytes - at), to, at, wait);
    }
  }

  private void writePiece(HostBytes from, long bytes, DeviceBuffer to, long at, HostWait wait) {
    MemorySegment slot = in.take(wait);
    CompletableFuture<Void> done;
    try {
      MemorySegment filled = slot.asSlice(0, bytes);
      onHost(() -> from.read(at, filled));
      toDevice.enqueue(
          List.of(),
          List.of(to),
          (driver, stream) -> driver.memcpyHtoDAsync(to.address() + at, filled, stream));
      done = completion(toDevice);
    } catch (RuntimeException e) {
      in.give(slot);
      throw e;
    }
    var _ = done.whenComplete((_, _) -> in.give(slot));
  }

  /**
   * A tensor with the elements at the start of a buffer. Waits on the device for what is to be
   * written there first, and on the host for the copy.
   *
   * @throws StatusException INVALID_ARGUMENT for strings, resources and variants
   */
  public Tensor toHost(DeviceBuffer from, DataType dtype, Shape shape, HostWait wait) {
    checkFixedWidth(dtype);
    checkFits((long) shape.elements() * dtype.byteSize(), from);
    Object array = TensorLimit.allocate(dtype, shape);
    read(from, segment(array), wait);
    return Tensor.wrap(dtype, shape, array);
  }

  /**
   * The first {@code bytes} bytes of a buffer in pinned memory, which the device copies there by
   * itself; nothing if they are few, or if there is no such memory now. Waits as {@link #toHost}
   * does. The segment is the caller's; its memory serves again some time after neither it nor a
   * slice of it is reachable.
   */
  public Optional<MemorySegment> toPinned(DeviceBuffer from, long bytes, HostWait wait) {
    checkFits(bytes, from);
    if (bytes < leastBlockBytes) {
      return Optional.empty();
    }
    Optional<MemorySegment> block = blocks.tryTake(bytes);
    block.ifPresent(to -> fill(to, from, wait));
    return block;
  }

  @SuppressWarnings("ReachabilityFenceUsage") // it is all that is done
  private void fill(MemorySegment to, DeviceBuffer from, HostWait wait) {
    toHost.enqueue(
        List.of(from),
        List.of(),
        (driver, stream) -> driver.memcpyDtoHAsync(to, from.address(), stream));
    CompletableFuture<Void> done = completion(toHost);
    // The device writes there by the address, even if nobody waits for it any longer.
    var _ = done.whenComplete((_, _) -> Reference.reachabilityFence(to));
    var _ = wait.await(done, "a copy from " + state.device());
  }

  /** Fills all of {@code to}: the device copies a piece while the host empties the one before. */
  private void read(DeviceBuffer from, MemorySegment to, HostWait wait) {
    @Nullable Piece piece = to.byteSize() == 0 ? null : readPiece(from, to, 0, out.take(wait));
    while (piece != null) {
      long at = piece.end();
      boolean isLast = at == to.byteSize();
      // A slot that is held is emptied before another is waited for: all may hold one.
      MemorySegment free = isLast ? null : takeNext(piece);
      Piece next = free == null ? null : readPieceOr(piece, from, to, at, free);
      finish(piece, next, wait);
      if (!isLast && next == null) {
        next = readPiece(from, to, at, out.take(wait));
      }
      piece = next;
    }
  }

  private static void finish(Piece piece, @Nullable Piece next, HostWait wait) {
    try {
      piece.finish(wait);
    } catch (RuntimeException e) {
      if (next != null) {
        next.abandon();
      }
      throw e;
    }
  }

  /** The end of a copy that was just appended; if nobody can tell it, the copy is over. */
  private static CompletableFuture<Void> completion(GpuStream stream) {
    try {
      return stream.completion();
    } catch (RuntimeException e) {
      try {
        stream.drain();
      } catch (StatusException drained) {
        e.addSuppressed(drained);
      }
      throw e;
    }
  }

  private @Nullable MemorySegment takeNext(Piece held) {
    try {
      return out.tryTake();
    } catch (RuntimeException e) {
      held.abandon();
      throw e;
    }
  }

  private Piece readPieceOr(
      Piece held, DeviceBuffer from, MemorySegment to, long at, MemorySegment slot) {
    try {
      return readPiece(from, to, at, slot);
    } catch (RuntimeException e) {
      held.abandon();
      throw e;
    }
  }

  private Piece readPiece(DeviceBuffer from, MemorySegment to, long at, MemorySegment slot) {
    MemorySegment target = to.asSlice(at, Math.min(slot.byteSize(), to.byteSize() - at));
    try {
      MemorySegment filled = slot.asSlice(0, target.byteSize());
      toHost.enqueue(
          List.of(from),
          List.of(),
          (driver, stream) -> driver.memcpyDtoHAsync(filled, from.address() + at, stream));
      return new Piece(slot, filled, target, at + target.byteSize(), completion(toHost));
    } catch (RuntimeException e) {
      out.give(slot);
      throw e;
    }
  }

  /** A copy to the host that is on its way, with the slot that it fills. */
  private final class Piece {
    private final MemorySegment slot;
    private final MemorySegment filled;
    private final MemorySegment target;
    private final long end;
    private final CompletableFuture<Void> done;

    Piece(
        MemorySegment slot,
        MemorySegment filled,
        MemorySegment target,
        long end,
        CompletableFuture<Void> done) {
      this.slot = slot;
      this.filled = filled;
      this.target = target;
      this.end = end;
      this.done = done;
    }

    long end() {
      return end;
    }

    /** Waits for the copy, and empties the slot. */
    void finish(HostWait wait) {
      try {
        var _ = wait.await(done, "a copy from " + state.device());
      } catch (RuntimeException e) {
        abandon();
        throw e;
      }
      try {
        onHost(() -> target.copyFrom(filled));
      } finally {
        out.give(slot);
      }
    }

    /** Leaves the copy to itself; the slot is free when the device no longer fills it. */
    void abandon() {
      var _ = done.whenComplete((_, _) -> out.give(slot));
    }
  }

  /** Fills or empties a slot, which exists as long as the context does. */
  private void onHost(Runnable copy) {
    Lock exist = slotsExist.readLock();
    exist.lock();
    try {
      state.check();
      copy.run();
    } finally {
      exist.unlock();
    }
  }

  /** Runs {@code free}, which frees the slots, while no copy uses them; the context has ended. */
  void freeSlots(Runnable free) {
    Lock exist = slotsExist.writeLock();
    exist.lock();
    try {
      free.run();
    } finally {
      exist.unlock();
    }
  }

  private static void checkFixedWidth(DataType dtype) {
    if (!dtype.kind().isFixedWidth()) {
      throw StatusException.invalidArgument(
          "a tensor of %s stays on the host: no device has such memory", dtype.tfName());
    }
  }

  private static void checkFits(long bytes, DeviceBuffer buffer) {
    if (bytes > buffer.bytes()) {
      throw new IllegalArgumentException(bytes + " bytes do not fit " + buffer);
    }
  }

  /** The bytes of a tensor's array: see {@link ElementKind}. */
  private static MemorySegment segment(Object array) {
    return switch (array) {
      case byte[] bytes -> MemorySegment.ofArray(bytes);
      case short[] shorts -> MemorySegment.ofArray(shorts);
      case int[] ints -> MemorySegment.ofArray(ints);
      case long[] longs -> MemorySegment.ofArray(longs);
      case float[] floats -> MemorySegment.ofArray(floats);
      case double[] doubles -> MemorySegment.ofArray(doubles);
      default -> throw new IllegalArgumentException("no plain array: " + array.getClass());
    };
  }
}
