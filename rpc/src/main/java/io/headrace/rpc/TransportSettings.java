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

  private TransportSettings() {}

  /** Disables netty's leak detector, which records a stack trace for every hundredth buffer. */
  static void disableLeakDetection() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }
}
