package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.data.UncompressedElement;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Unary sources that share a budget, of a worker that answers each request when the test says. */
@Timeout(120)
final class RequestBudgetTest {
  private static final String WORKER = "request-budget-test";

  private final List<Long> asked = new ArrayList<>();
  private final List<UnarySource> sources = new ArrayList<>();
  private final List<StreamObserver<GetElementResponse>> waiting = new ArrayList<>();
  private final Server server =
      InProcessServerBuilder.forName(WORKER).directExecutor().addService(new Worker()).build();
  private final ManagedChannel channel =
      InProcessChannelBuilder.forName(WORKER).directExecutor().build();

  /** Notes the task of each request, and keeps it waiting. */
  private final class Worker extends WorkerServiceGrpc.WorkerServiceImplBase {
    @Override
    public void getElement(GetElementRequest request, StreamObserver<GetElementResponse> response) {
      asked.add(request.getTaskId());
      waiting.add(response);
    }
  }

  @BeforeEach
  void start() throws IOException {
    server.start();
  }

  @AfterEach
  void stop() {
    sources.forEach(UnarySource::close);
    channel.shutdownNow();
    server.shutdownNow();
  }

  private List<UnarySource> read(long most, long... tasks) {
    RequestBudget budget = new RequestBudget(most);
    for (long task : tasks) {
      sources.add(new UnarySource(channel, task, "", 1, budget, () -> {}));
    }
    sources.forEach(UnarySource::start);
    return sources;
  }

  private void answer(GetElementResponse response) {
    StreamObserver<GetElementResponse> first = waiting.removeFirst();
    first.onNext(response);
    first.onCompleted();
  }

  private void answerElement() {
    answer(
        GetElementResponse.newBuilder()
            .setUncompressed(
                UncompressedElement.newBuilder()
                    .addComponents(TensorProtos.write(Tensor.scalar(7L))))
            .build());
  }

  @Test
  void elementThatWaits_countsUntilItIsTaken() {
    UnarySource source = read(2, 1).getFirst();
    answerElement();
    answerElement();
    assertThat(asked).hasSize(2);

    assertThat(source.poll()).isNotNull();

    assertThat(asked).hasSize(3);
    assertThat(source.poll()).isNotNull();
    assertThat(asked).as("one request at a time").hasSize(3);
  }

  @Test
  void tasks_getTheirTurnsInOrder() {
    List<UnarySource> tasks = read(1, 1, 2, 3);
    assertThat(asked).containsExactly(1L);

    answerElement();
    assertThat(asked).containsExactly(1L);
    assertThat(tasks.get(0).poll()).isNotNull();
    assertThat(asked).containsExactly(1L, 2L);

    answerElement();
    assertThat(tasks.get(1).poll()).isNotNull();
    answerElement();
    assertThat(tasks.get(2).poll()).isNotNull();
    assertThat(asked).containsExactly(1L, 2L, 3L, 1L);
  }

  @Test
  void taskThatEnds_orBreaks_orIsClosed_leavesItsPartToTheOthers() {
    List<UnarySource> tasks = read(1, 1, 2, 3, 4);

    answer(GetElementResponse.newBuilder().setEndOfSequence(true).build());
    assertThat(asked).containsExactly(1L, 2L);

    waiting.removeFirst().onError(Status.UNAVAILABLE.asRuntimeException());
    assertThat(asked).containsExactly(1L, 2L, 3L);

    answerElement();
    tasks.get(2).close();
    assertThat(asked).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void closedTaskThatWaited_isPassedOver() {
    List<UnarySource> tasks = read(1, 1, 2, 3);
    tasks.get(1).close();

    answer(GetElementResponse.newBuilder().setEndOfSequence(true).build());

    assertThat(asked).containsExactly(1L, 3L);
  }

  @Test
  void options_withoutABoundThatCanBeKept_areRefused() {
    DistributeOptions options = DistributeOptions.of(ProcessingMode.DYNAMIC);

    Stream.of(0L, -1L)
        .forEach(most ->
            assertThatThrownBy(() -> options.withMaxOutstandingRequests(most))
                .hasMessageContaining("max_outstanding_requests must be positive or -1"));
    assertThatThrownBy(() -> options.withMaxOutstandingRequests(5).withTransfer(Transfer.STREAM))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("which the transfer STREAM does not make");
  }
}
