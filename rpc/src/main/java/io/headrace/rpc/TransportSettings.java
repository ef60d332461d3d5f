package io.headrace.rpc;

import io.grpc.netty.shaded.io.netty.channel.WriteBufferWaterMark;
import io.grpc.netty.shaded.io.netty.util.ResourceLeakDetector;

/**
 * The transport settings of both ends of a connection; docs/performance.md has the measurements.
 */
final class TransportSettings {
  /**
   * The flow control window of a connection and of a stream; larger and smaller ones were slower.
   */
  static final int WINDOW_BYTES = 2 << 20;

  /**
   * The window of a connection with few, large replies: with each full window the sender waits
   * until the receiver is scheduled, which on a busy machine is most of the transfer time.
   */
  static final int TENSOR_WINDOW_BYTES = 64 << 20;

  /**
   * Lets a large message leave in one write; netty's default of 64 KiB takes sixteen writes for a
   * MiB.
   */
  static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(2 << 20, 4 << 20);

  private static final String MAX_CACHED_BUFFER_CAPACITY =
      "io.grpc.netty.shaded.io.netty.allocator.maxCachedBufferCapacity";

  private TransportSettings() {}

  /**
   * Has each event loop keep some of the buffers that it reads into, up to 64 of a size, unless the
   * property is set. Otherwise netty frees the memory of a large message once the message is read,
   * the C library may return it to the kernel, and each page of the next message is a page fault.
   * Must be called before a channel is opened.
   */
  static void keepReadBuffers() {
    if (System.getProperty(MAX_CACHED_BUFFER_CAPACITY) == null) {
      System.setProperty(MAX_CACHED_BUFFER_CAPACITY, String.valueOf(ClientSockets.MAX_READ_BYTES));
    }
  }

  /** Disables netty's leak detector, which records a stack trace for every hundredth buffer. */
  static void disableLeakDetection() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }
}
