package io.headrace.cluster;

import io.headrace.cluster.peer.TensorMessageWriter;
import io.headrace.proto.tensorflow.MasterServiceGrpc;
import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.RunOptions;
import io.headrace.proto.tensorflow.RunStepRequest;
import io.headrace.proto.tensorflow.RunStepResponse;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Builds one step of a {@link Session}: its feeds, fetches and targets. May be run several times.
 * Not thread-safe.
 */
public final class Runner {
  private final Session session;
  private final Map<String, Tensor> feeds = new LinkedHashMap<>();
  private final List<String> fetches = new ArrayList<>();
  private final Set<String> targets = new LinkedHashSet<>();
  private Optional<Duration> timeout;
  private Cancellation cancellation = new Cancellation();

  Runner(Session session, Optional<Duration> timeout) {
    this.session = session;
    this.timeout = timeout;
  }

  /**
   * Feeds {@code tensor} as the value of {@code output}, which the step then does not compute.
   *
   * @throws StatusException INVALID_ARGUMENT if the dtypes differ or the shapes are incompatible
   */
  public Runner feed(Output output, Tensor tensor) {
    check(output, tensor);
    feeds.put(output.name(), tensor);
    return this;
  }

  /** Feeds the output {@code node:output} by name; the master checks dtype and shape. */
  public Runner feed(TensorName output, Tensor tensor) {
    feeds.put(output.toString(), tensor);
    return this;
  }

  static void check(Output output, Tensor tensor) {
    if (output.dtype() != tensor.dtype() || !output.shape().isCompatibleWith(tensor.shape())) {
      throw StatusException.invalidArgument(
          "%s is %s and was fed %s", output.name(), output, tensor.typeAndShape());
    }
  }

  /** Fetches the value of {@code output}. */
  public Runner fetch(Output output) {
    fetches.add(output.name());
    return this;
  }

  /** Fetches an output by name. */
  public Runner fetch(TensorName output) {
    fetches.add(output.toString());
    return this;
  }

  /** Runs {@code operation} and its dependencies. */
  public Runner target(Operation operation) {
    targets.add(operation.name());
    return this;
  }

  /** Runs the node of this name and its dependencies. */
  public Runner target(String node) {
    targets.add(node);
    return this;
  }

  /** Ends the step with DEADLINE_EXCEEDED if it takes longer. */
  public Runner timeout(Duration longest) {
    timeout = Optional.of(longest);
    return this;
  }

  /** Ends the step with CANCELLED when {@code by} is cancelled. */
  public Runner cancelledBy(Cancellation by) {
    cancellation = by;
    return this;
  }

  /**
   * Runs the step.
   *
   * @return the values of the fetches, in the order in which they were added
   * @throws StatusException the failure of the step, CANCELLED if this thread is interrupted,
   *     RESOURCE_EXHAUSTED if the feeds take 2 GiB or more
   */
  public List<Tensor> run() {
    MasterClient.Limits limits = new MasterClient.Limits(timeout, cancellation);
    RunStepRequest.Builder request =
        RunStepRequest.newBuilder()
            .setSessionHandle(session.prepare(limits))
            .addAllFetch(new LinkedHashSet<>(fetches))
            .addAllTarget(targets)
            .setStoreErrorsInResponseBody(true)
            .setRequestId(session.newRequestId());
    timeout.ifPresent(
        longest -> request.setOptions(RunOptions.newBuilder().setTimeoutInMs(longest.toMillis())));
    TensorMessageWriter fed = new TensorMessageWriter("the feeds of the step");
    feeds.forEach((name, tensor) -> request.addFeed(fed.named(name, tensor)));
    RunStepResponse response =
        session.master().call(MasterServiceGrpc.getRunStepMethod(), request.build(), limits);
    if (response.getStatusCodeValue() != StatusCode.OK.number()) {
      throw new StatusException(
          StatusCode.ofNumber(response.getStatusCodeValue()), response.getStatusErrorMessage());
    }
    return values(response);
  }

  private List<Tensor> values(RunStepResponse response) {
    Map<String, Tensor> named = new HashMap<>();
    for (NamedTensorProto tensor : response.getTensorList()) {
      named.put(tensor.getName(), TensorProtos.read(tensor.getTensor()));
    }
    List<Tensor> values = new ArrayList<>();
    for (String fetch : fetches) {
      Tensor value = named.get(fetch);
      if (value == null) {
        throw StatusException.of(
            StatusCode.INTERNAL, "the master sent no value of %s, which was fetched", fetch);
      }
      values.add(value);
    }
    return values;
  }
}
