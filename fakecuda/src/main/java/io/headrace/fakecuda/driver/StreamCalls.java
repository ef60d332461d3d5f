package io.headrace.fakecuda.driver;

import org.jspecify.annotations.Nullable;

/** CUDA Driver API, Stream Management and Event Management. */
final class StreamCalls {
  private static final int EVENT_DISABLE_TIMING = 2;
  private static final float MILLIS_OF_AN_OPERATION = 0.01f;

  private final DriverState state;

  StreamCalls(DriverState state) {
    this.state = state;
  }

  /** A stream, whose handle is its number in the timeline. */
  private record Stream() {}

  /** An event, and the mark that it recorded last. */
  private static final class Event {
    final boolean isTimed;
    @Nullable StreamWork mark;

    Event(boolean isTimed) {
      this.isTimed = isTimed;
    }
  }

  /** The number of a stream in the timeline; 0 for the default one. */
  static long queue(DriverState state, FakeDevice device, long stream) {
    if (stream != 0) {
      var _ = state.handle(device, stream, Stream.class);
    }
    return stream;
  }

  int cuStreamCreate(long stream, int flags) {
    FakeDevice device = state.current();
    if (flags != 1) {
      // Streams that wait for the default one are not modelled.
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    NativeMemory.setLong(stream, state.add(device, new Stream()));
    return 0;
  }

  int cuStreamDestroy_v2(long stream) {
    FakeDevice device = state.current();
    var _ = state.handle(device, stream, Stream.class);
    device.handles().remove(stream);
    return 0;
  }

  int cuStreamSynchronize(long stream) {
    FakeDevice device = state.current();
    device.timeline().synchronize(queue(state, device, stream));
    device.checkNotLost();
    return 0;
  }

  int cuStreamQuery(long stream) {
    FakeDevice device = state.current();
    long queue = queue(state, device, stream);
    device.timeline().runSome();
    boolean isDone = device.timeline().isDone(queue);
    device.checkNotLost();
    return isDone ? 0 : CudaError.NOT_READY.code();
  }

  int cuStreamWaitEvent(long stream, long event, int flags) {
    FakeDevice device = state.current();
    long queue = queue(state, device, stream);
    StreamWork mark = state.handle(device, event, Event.class).mark;
    if (flags != 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    if (mark != null) {
      device.timeline().waitFor(queue, mark);
    }
    return 0;
  }

  int cuEventCreate(long event, int flags) {
    FakeDevice device = state.current();
    if ((flags & ~3) != 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    boolean isTimed = (flags & EVENT_DISABLE_TIMING) == 0;
    NativeMemory.setLong(event, state.add(device, new Event(isTimed)));
    return 0;
  }

  int cuEventDestroy_v2(long event) {
    FakeDevice device = state.current();
    var _ = state.handle(device, event, Event.class);
    device.handles().remove(event);
    return 0;
  }

  int cuEventRecord(long event, long stream) {
    FakeDevice device = state.current();
    long queue = queue(state, device, stream);
    Event recorded = state.handle(device, event, Event.class);
    recorded.mark = device.timeline().enqueue(queue, "cuEventRecord", _ -> {});
    return 0;
  }

  int cuEventSynchronize(long event) {
    FakeDevice device = state.current();
    StreamWork mark = state.handle(device, event, Event.class).mark;
    if (mark != null) {
      device.timeline().synchronize(mark);
      device.checkNotLost();
    }
    return 0;
  }

  int cuEventQuery(long event) {
    FakeDevice device = state.current();
    StreamWork mark = state.handle(device, event, Event.class).mark;
    device.timeline().runSome();
    boolean isDone = mark == null || device.timeline().isDone(mark);
    device.checkNotLost();
    return isDone ? 0 : CudaError.NOT_READY.code();
  }

  int cuEventElapsedTime(long millis, long start, long end) {
    FakeDevice device = state.current();
    Event first = state.handle(device, start, Event.class);
    Event second = state.handle(device, end, Event.class);
    StreamWork from = first.mark;
    StreamWork to = second.mark;
    if (!first.isTimed || !second.isTimed || from == null || to == null) {
      throw new DriverError(CudaError.INVALID_HANDLE);
    }
    if (!from.isDone() || !to.isDone()) {
      throw new DriverError(CudaError.NOT_READY);
    }
    NativeMemory.setFloat(millis, (to.number - from.number) * MILLIS_OF_AN_OPERATION);
    return 0;
  }
}
