package io.headrace.client;

import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** How a reader becomes a client of an iteration: in one call, or in a stock dispatcher's two. */
final class IterationJoin {
  private final ServiceDataset dataset;
  private final long repetition;
  private final Cancellation cancellation;

  /**
   * A reader's place.
   *
   * @param clientId what the dispatcher knows it by
   * @param guarantee the job's
   * @param reason why the job has no stronger one; empty if it has the strongest
   * @param sourcesFingerprint tells the dataset's sources from others; in parallel epochs 0 if
   *     there are no tokens
   * @param copies in parallel epochs, if there are tokens, the ids of the tasks
   * @param orderObstacle in parallel epochs, why there are no tokens
   * @param clientTimeoutMillis what an answer counts for, if others can share what is read exactly
   *     once; otherwise 0
   */
  record Place(
      long clientId,
      Guarantee guarantee,
      String reason,
      long sourcesFingerprint,
      List<Long> copies,
      String orderObstacle,
      long clientTimeoutMillis) {}

  IterationJoin(ServiceDataset dataset, long repetition, Cancellation cancellation) {
    this.dataset = dataset;
    this.repetition = repetition;
    this.cancellation = cancellation;
  }

  /**
   * Joins the iteration, and creates it, and its job, where they are not there.
   *
   * @throws StatusException FAILED_PRECONDITION if the guarantee that was asked for can't be had,
   *     or the token is of other sources
   */
  Place join(DispatcherClient dispatcher) {
    try {
      JoinIterationRequest.Builder request = request();
      JoinIterationResponse response = ask(dispatcher, request);
      while (response.getTicket() != 0) {
        response = ask(dispatcher, request.setTicket(response.getTicket()));
      }
      return new Place(
          response.getIterationClientId(),
          Guarantee.of(response.getGuarantee()),
          response.getReason(),
          response.getSourcesFingerprint(),
          response.getCopyTaskIdsList(),
          response.getOrderObstacle(),
          response.getClientTimeoutMs());
    } catch (StatusException e) {
      // A stock dispatcher does not know the call; another that refused it refuses the others, too.
      if (e.code() != StatusCode.UNIMPLEMENTED) {
        throw e;
      }
      requireNothingBeyondStock(e);
      return joinStock(dispatcher);
    }
  }

  private JoinIterationResponse ask(
      DispatcherClient dispatcher, JoinIterationRequest.Builder request) {
    return dispatcher.call(
        DispatcherExtensionsGrpc.getJoinIterationMethod(), request.build(), cancellation);
  }

  private JoinIterationRequest.Builder request() {
    ReadSession session = dataset.session();
    JoinIterationRequest.Builder request =
        JoinIterationRequest.newBuilder().setJob(job()).setRepetition(repetition);
    wanted().map(Guarantee::toProto).ifPresent(request::setGuarantee);
    request.setSendsNoReceipts(dataset.transfer() == Transfer.GRPC);
    request.setReader(session.readerId()).setJoinId(new SplittableRandom().nextLong());
    session.resumption().ifPresent(resumption -> follow(request, resumption));
    return request;
  }

  private void follow(JoinIterationRequest.Builder request, Resumption resumption) {
    CheckpointProto checkpoint = resumption.checkpoint().toProto();
    request
        .setSourcesFingerprint(checkpoint.getSourcesFingerprint())
        .addAllPredecessors(resumption.predecessors(repetition))
        .setReaders(resumption.together(repetition))
        .setWaitsForAll(resumption.waitsForAll(repetition));
    taken(checkpoint)
        .ifPresent(taken -> request.setTaken(taken).setCopies(checkpoint.getCopyTaskIdsCount()));
  }

  /** By single requests nobody learns which records an element was made of. */
  private Optional<Guarantee> wanted() {
    Optional<Guarantee> wanted = dataset.session().guarantee();
    if (dataset.transfer() == Transfer.GRPC && wanted.equals(Optional.of(Guarantee.EXACTLY_ONCE))) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "%s can't be had with the transfer %s: use %s or %s",
          Guarantee.EXACTLY_ONCE,
          Transfer.GRPC,
          Transfer.STREAM,
          Transfer.AUTO);
    }
    return wanted;
  }

  /** Empty for a pass that the checkpoint does not tell of. */
  private Optional<RecordSetProto> taken(CheckpointProto checkpoint) {
    return checkpoint.getRepetitionsList().stream()
        .filter(of -> of.getRepetition() == repetition)
        .findFirst()
        .map(of -> of.getTaken());
  }

  private GetOrCreateJobRequest job() {
    GetOrCreateJobRequest.Builder job =
        GetOrCreateJobRequest.newBuilder()
            .setDatasetId(dataset.datasetId())
            .setProcessingModeDef(dataset.processingMode())
            .setTargetWorkers(TargetWorkers.TARGET_WORKERS_AUTO);
    dataset.jobName().ifPresent(job::setJobName);
    return job.build();
  }

  private void requireNothingBeyondStock(StatusException refusal) {
    ReadSession session = dataset.session();
    if (session.resumed().isPresent()
        || session.guarantee().filter(wanted -> wanted != Guarantee.AT_MOST_ONCE).isPresent()) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "only a Headrace dispatcher gives guarantees and goes on from checkpoints, for what it"
              + " can run: "
              + refusal.message(),
          refusal);
    }
  }

  private Place joinStock(DispatcherClient dispatcher) {
    long jobId =
        dispatcher
            .call(DispatcherServiceGrpc.getGetOrCreateJobMethod(), job(), cancellation)
            .getJobId();
    long clientId =
        dispatcher
            .call(
                DispatcherServiceGrpc.getGetOrCreateIterationMethod(),
                GetOrCreateIterationRequest.newBuilder()
                    .setJobId(jobId)
                    .setRepetition(repetition)
                    .build(),
                cancellation)
            .getIterationClientId();
    String stock = "the dispatcher is a stock one";
    return new Place(clientId, Guarantee.AT_MOST_ONCE, stock, 0, List.of(), stock, 0);
  }
}
