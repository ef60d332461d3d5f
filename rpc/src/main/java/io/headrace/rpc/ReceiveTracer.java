package io.headrace.rpc;

import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.headrace.runtime.status.StatusException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Charges the bytes of a call's messages to a {@link ReceiveBudget} as they arrive, and ends the
 * call if they exceed it. A unary request is charged until its call has ended, a message of a
 * stream until it is delivered.
 */
final class ReceiveTracer extends ServerStreamTracer {
  /*
   * The transport calls the inbound methods from one thread at a time; streamClosed comes last, but
   * possibly from another thread, so all state is guarded by this object's lock.
   */

  /** The overhead charged for each frame, so that many tiny frames are not free. */
  private static final int FRAME_OVERHEAD_BYTES = 256;

  /** The context key under which a call's handlers find its tracer. */
  static final Context.Key<ReceiveTracer> KEY = Context.key("receive-tracer");

  private final ReceiveBudget budget;
  private Object peer = "a peer that is not known yet";
  private boolean unary;
  private long heldBytes;
  private long receivedBytes;
  private boolean whole;
  private boolean closed;

  ReceiveTracer(ReceiveBudget budget) {
    this.budget = budget;
  }

  static Factory factory(ReceiveBudget budget) {
    return new Factory() {
      @Override
      public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        return new ReceiveTracer(budget);
      }
    };
  }

  @Override
  public Context filterContext(Context context) {
    return context.withValue(KEY, this);
  }

  /** The bytes of messages that have arrived so far. */
  synchronized long receivedBytes() {
    return receivedBytes;
  }

  @Override
  public synchronized void serverCallStarted(ServerCallInfo<?, ?> call) {
    @Nullable Object address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    peer = Objects.requireNonNullElse(address, peer);
    unary = call.getMethodDescriptor().getType().clientSendsOneMessage();
  }

  @Override
  public synchronized void inboundWireSize(long bytes) {
    if (closed) {
      return;
    }
    long charge = bytes + FRAME_OVERHEAD_BYTES;
    try {
      budget.acquire(charge, peer);
    } catch (StatusException e) {
      throw GrpcStatuses.toGrpc(e).asRuntimeException();
    }
    heldBytes += charge;
    receivedBytes += bytes;
  }

  @Override
  public synchronized void inboundMessageRead(int number, long wireBytes, long bytes) {
    whole = true;
    if (!unary) {
      releaseAll();
    }
  }

  @Override
  public synchronized void streamClosed(Status status) {
    if (!whole && status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
      budget.refused(peer, String.valueOf(status.getDescription()));
    }
    closed = true;
    releaseAll();
  }

  private void releaseAll() {
    budget.release(heldBytes);
    heldBytes = 0;
  }
}
