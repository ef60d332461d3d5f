package io.headrace.cluster;

import io.headrace.cluster.peer.TensorMessageWriter;
import io.headrace.proto.tensorflow.MasterServiceGrpc;
import io.headrace.proto.tensorflow.ReleaseCallableRequest;
import io.headrace.proto.tensorflow.RunCallableRequest;
import io.headrace.proto.tensorflow.RunCallableResponse;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A step registered with the master of a {@link Session} (MakeCallable). Thread-safe. */
public final class SessionCallable implements AutoCloseable {
  private final Session session;
  private final long number;
  private final List<Output> feeds;
  private final int fetches;
  private final AtomicBoolean released = new AtomicBoolean();

  SessionCallable(Session session, long number, List<Output> feeds, int fetches) {
    this.session = session;
    this.number = number;
    this.feeds = List.copyOf(feeds);
    this.fetches = fetches;
  }

  /**
   * Runs the step.
   *
   * @param values the values of the feeds, in their order
   * @return the values of the fetches, in their order
   * @throws StatusException INVALID_ARGUMENT if their number, a dtype or a shape differs from the
   *     feeds; the failure of the step
   */
  public List<Tensor> call(List<Tensor> values) {
    if (values.size() != feeds.size()) {
      throw StatusException.invalidArgument(
          "the callable is fed %d tensors and was given %d", feeds.size(), values.size());
    }
    RunCallableRequest.Builder request =
        RunCallableRequest.newBuilder()
            .setSessionHandle(session.prepare(session.limits()))
            .setHandle(number)
            .setRequestId(session.newRequestId());
    TensorMessageWriter fed = new TensorMessageWriter("the feeds of the callable");
    for (int i = 0; i < values.size(); i++) {
      Runner.check(feeds.get(i), values.get(i));
      request.addFeed(fed.write(feeds.get(i).name(), values.get(i)));
    }
    RunCallableResponse response =
        session
            .master()
            .call(MasterServiceGrpc.getRunCallableMethod(), request.build(), session.limits());
    if (response.getFetchCount() != fetches) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "the master sent %d values, and %d were fetched",
          response.getFetchCount(),
          fetches);
    }
    return response.getFetchList().stream().map(TensorProtos::read).toList();
  }

  /**
   * Releases the callable at the master (ReleaseCallable), as closing the session does. Idempotent.
   */
  @Override
  public void close() {
    Optional<String> open = session.openHandle();
    if (!released.compareAndSet(false, true) || open.isEmpty()) {
      return;
    }
    var _ =
        session
            .master()
            .call(
                MasterServiceGrpc.getReleaseCallableMethod(),
                ReleaseCallableRequest.newBuilder()
                    .setSessionHandle(open.get())
                    .setHandle(number)
                    .build(),
                session.limits());
  }
}
