package io.headrace.rpc;

import io.grpc.netty.shaded.io.netty.channel.WriteBufferWaterMark;
import io.grpc.netty.shaded.io.netty.util.ResourceLeakDetector;

/** What both ends of a connection are set to; docs/performance.md has the measurements. */
final class TransportSettings {
  /** Flow control window of a connection and of a stream: larger and smaller ones were slower. */
  static final int WINDOW_BYTES = 2 << 20;

  /**
   * That of a connection whose replies are large and few: each window that is full waits for the
   * receiver's turn on the processor, which on a busy machine is most of the time that it takes.
   */
  static final int TENSOR_WINDOW_BYTES = 64 << 20;

  /** Lets a large message leave in one write; netty's own 64 KiB takes sixteen for a MiB. */
  static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(2 << 20, 4 << 20);

  private TransportSettings() {}

  /** Netty takes a stack trace of every hundredth buffer, to find its own leaks. */
  static void stopLookingForLeaks() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }
}
