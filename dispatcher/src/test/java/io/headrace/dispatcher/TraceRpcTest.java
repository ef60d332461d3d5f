package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ReportTraceRequest;
import io.headrace.proto.headrace.TraceElementRequest;
import io.headrace.proto.headrace.TraceOrder;
import io.headrace.proto.headrace.TracedReader;
import io.headrace.proto.headrace.TracedStage;
import io.headrace.proto.headrace.TracedTask;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The trace of an element, from the reports of workers and readers. */
final class TraceRpcTest {
  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  /** Joins the first pass of the job "training" on two workers; returns the client id. */
  private long join() {
    peers.start("w:1");
    peers.start("w:2");
    return dispatcher.iterate(
        dispatcher.createJob(dispatcher.register("RangeDataset"), "training"), 1);
  }

  private static TraceElementRequest request(long deadlineMillis) {
    return TraceElementRequest.newBuilder()
        .setJob("training")
        .setDeadlineMs(deadlineMillis)
        .build();
  }

  private ListenableFuture<ElementTrace> trace(long deadlineMillis) {
    return dispatcher.adminFutures().traceElement(request(deadlineMillis));
  }

  /** A trace that is refused at once. */
  private ElementTrace refused(long deadlineMillis) {
    return dispatcher.admin().traceElement(request(deadlineMillis));
  }

  private static ElementTrace answer(ListenableFuture<ElementTrace> trace)
      throws ExecutionException {
    return Futures.getDone(trace);
  }

  /** The orders that a worker gets with its next heartbeat. */
  private List<TraceOrder> orders(String address) {
    return dispatcher
        .extensions()
        .extendedWorkerHeartbeat(
            ExtendedWorkerHeartbeatRequest.newBuilder()
                .setHeartbeat(TestDispatcher.report(address))
                .setIncarnation(address.hashCode())
                .build())
        .getTracesList();
  }

  private void report(TraceOrder order, TracedTask.Builder task) {
    var _ =
        dispatcher
            .extensions()
            .reportTrace(
                ReportTraceRequest.newBuilder()
                    .setTrace(order.getTrace())
                    .setTask(task.setTaskId(order.getTaskId()))
                    .build());
  }

  private void report(TraceOrder order, TracedReader.Builder reader) {
    var _ =
        dispatcher
            .extensions()
            .reportTrace(
                ReportTraceRequest.newBuilder()
                    .setTrace(order.getTrace())
                    .setReader(reader.setTaskId(order.getTaskId()))
                    .build());
  }

  private static TracedTask.Builder sent(TracedTask.Delivery how) {
    return TracedTask.newBuilder().setPosition(3).setQueuedMicros(1).setDelivery(how);
  }

  @Test
  void orders_goToEveryWorker_untilItHasReported() {
    long client = join();
    var _ = trace(5000);

    List<TraceOrder> first = orders("w:1");
    List<TraceOrder> again = orders("w:1");
    report(first.getFirst(), TracedTask.newBuilder().setMissing("nothing is made"));

    assertThat(dispatcher.network().hurried()).contains("w:1", "w:2");
    assertThat(first).singleElement().isEqualTo(again.getFirst());
    assertThat(first.getFirst().getTaskId()).isEqualTo(peers.task(client, "w:1"));
    assertThat(first.getFirst().getDeadlineMs()).isEqualTo(5000);
    assertThat(orders("w:1")).isEmpty();
    assertThat(orders("w:2")).hasSize(1);
  }

  @Test
  void element_isKnown_whenItsReaderHasReported() throws ExecutionException {
    long client = join();
    ListenableFuture<ElementTrace> trace = trace(5000);
    TraceOrder order = orders("w:2").getFirst();
    int appends = dispatcher.journal().appends();
    report(order, sent(TracedTask.Delivery.STREAM));
    assertThat(trace.isDone()).isFalse();

    report(order, TracedReader.newBuilder().setIterationClientId(client).setPosition(3));

    ElementTrace answer = answer(trace);
    assertThat(answer.getJobName()).isEqualTo("training");
    assertThat(answer.getRepetition()).isEqualTo(1);
    assertThat(answer.getTask().getWorkerAddress()).isEqualTo("w:2");
    assertThat(answer.getReader().getIterationClientId()).isEqualTo(client);
    assertThat(answer.getMissing()).isEmpty();
    assertThat(answer.getEnd()).isEmpty();
    assertThat(dispatcher.journal().appends()).isEqualTo(appends);
  }

  @Test
  void functions_areNamedAsTheirUsersNamedThem() throws ExecutionException {
    join();
    ListenableFuture<ElementTrace> trace = trace(5000);

    report(
        orders("w:1").getFirst(),
        TracedTask.newBuilder()
            .setMissing("Map(__headrace_map_at_Pipeline_12_3) has been in one call for 2.0 s")
            .addStages(
                TracedStage.newBuilder()
                    .setName("Map")
                    .setFunction("__headrace_map_at_Pipeline_12_3"))
            .addStages(
                TracedStage.newBuilder()
                    .setName("ParallelMap")
                    .setFunction("__inference_Dataset_map_augment_42")));
    report(orders("w:2").getFirst(), TracedTask.newBuilder().setMissing("nothing is made"));

    assertThat(answer(trace).getMissing())
        .endsWith("Map(Pipeline:12) has been in one call for 2.0 s");
    assertThat(answer(trace).getTask().getStagesList())
        .extracting(TracedStage::getFunction)
        .containsExactly("Pipeline:12", "augment");
  }

  @Test
  void elementOfAGetElement_endsAtTheWorker() throws ExecutionException {
    join();
    ListenableFuture<ElementTrace> trace = trace(5000);

    report(orders("w:1").getFirst(), sent(TracedTask.Delivery.GET_ELEMENT));

    assertThat(answer(trace).getEnd()).contains("GetElement");
    assertThat(answer(trace).hasReader()).isFalse();
    assertThat(answer(trace).getMissing()).isEmpty();
  }

  @Test
  void tasksThatMakeNothing_endTheTraceEarly() throws ExecutionException {
    join();
    ListenableFuture<ElementTrace> trace = trace(5000);

    report(orders("w:1").getFirst(), TracedTask.newBuilder().setMissing("its pass has ended"));
    assertThat(trace.isDone()).isFalse();
    report(orders("w:2").getFirst(), TracedTask.newBuilder().setMissing("its pass has ended"));

    assertThat(answer(trace).getMissing()).startsWith("task ").endsWith(": its pass has ended");
  }

  @Test
  void deadline_saysWhoHasReportedNothing() throws ExecutionException {
    join();
    ListenableFuture<ElementTrace> trace = trace(5000);

    dispatcher.advance(Duration.ofSeconds(10));

    assertThat(answer(trace).getMissing()).contains("at w:1, has reported nothing");
    assertThat(answer(trace).hasTask()).isFalse();
    assertThat(orders("w:1")).isEmpty();
  }

  @Test
  void deadline_saysThatTheReaderHasNotReported() throws ExecutionException {
    join();
    ListenableFuture<ElementTrace> trace = trace(5000);
    report(orders("w:1").getFirst(), sent(TracedTask.Delivery.STREAM));

    dispatcher.advance(Duration.ofSeconds(6));

    assertThat(answer(trace).getMissing()).contains("element 3 was sent to a reader");
  }

  @Test
  void secondTraceOfAJob_isRefused() {
    join();
    var _ = trace(5000);

    assertFails(StatusCode.FAILED_PRECONDITION, () -> refused(5000))
        .hasMessageContaining("is being traced already");
  }

  @Test
  void cancelledTrace_ends() {
    join();
    ListenableFuture<ElementTrace> first = trace(5000);

    first.cancel(true);

    assertThat(orders("w:1")).isEmpty();
    assertThat(trace(5000).isDone()).isFalse();
  }

  @Test
  void reportOfATraceThatHasEnded_isNotFound() {
    join();
    ListenableFuture<ElementTrace> trace = trace(5000);
    TraceOrder order = orders("w:1").getFirst();
    trace.cancel(true);

    assertFails(
        StatusCode.NOT_FOUND, () -> report(order, TracedTask.newBuilder().setMissing("late")));
  }

  @Test
  void jobThatIsNotThere_isNotFound() {
    assertFails(StatusCode.NOT_FOUND, () -> refused(5000))
        .hasMessageContaining("no job has the name or id \"training\"");
  }

  @Test
  void jobWithoutATask_isRefused() {
    dispatcher.createJob(dispatcher.register("RangeDataset"), "training");

    assertFails(StatusCode.FAILED_PRECONDITION, () -> refused(5000))
        .hasMessageContaining("has no task that can be traced: no reader reads it");
  }

  @Test
  void jobOfStockWorkers_isRefused() {
    var _ = dispatcher.startWorker("stock:1");
    dispatcher.iterate(dispatcher.createJob(dispatcher.register("RangeDataset"), "training"), 1);

    assertFails(StatusCode.FAILED_PRECONDITION, () -> refused(5000))
        .hasMessageContaining("TensorFlow's own");
  }

  @Test
  void deadlineBeyondTenMinutes_isRefused() {
    join();

    assertFails(StatusCode.INVALID_ARGUMENT, () -> refused(600_001))
        .hasMessageContaining("deadline_ms must be 0 to 600000");
  }
}
