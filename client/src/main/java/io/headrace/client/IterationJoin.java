package io.headrace.client;

import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetDataServiceMetadataRequest;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Joins a reader to an iteration as a client: by one call, or by the two calls of a stock
 * dispatcher.
 */
final class IterationJoin {
  private final ServiceDataset dataset;
  private final long repetition;
  private final Cancellation cancellation;

  /**
   * A reader's membership in an iteration.
   *
   * @param clientId the iteration client id
   * @param guarantee the job's guarantee
   * @param reason why the job has no stronger guarantee; empty if it has the strongest
   * @param sourcesFingerprint the fingerprint of the dataset's sources; in parallel epochs 0 if the
   *     pass can't be resumed
   * @param outline of what the fingerprint covers, for tokens
   * @param copies in parallel epochs that can be resumed, the ids of the tasks
   * @param orderObstacle in parallel epochs, why the pass can't be resumed
   * @param clientTimeoutMillis the duration of the {@link DeliveryLease}, if an exactly-once job
   *     can be shared; otherwise 0
   */
  record Place(
      long clientId,
      Guarantee guarantee,
      String reason,
      long sourcesFingerprint,
      DatasetOutline outline,
      List<Long> copies,
      String orderObstacle,
      long clientTimeoutMillis) {
    /** The guarantee and its reason, for logs. */
    String told() {
      String words = guarantee.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      return reason.isEmpty() ? words : words + ": " + reason;
    }
  }

  IterationJoin(ServiceDataset dataset, long repetition, Cancellation cancellation) {
    this.dataset = dataset;
    this.repetition = repetition;
    this.cancellation = cancellation;
  }

  /**
   * Joins the iteration; creates it and its job if need be.
   *
   * @throws StatusException FAILED_PRECONDITION if the job can't have the requested guarantee, or
   *     the token is of other sources; INVALID_ARGUMENT if the job can't be cached and is to be
   */
  Place join(DispatcherClient dispatcher) {
    if (dataset.cache().isPresent()) {
      TrainerPlace.requireCacheable(metadata(dispatcher), repetition);
    }
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
          response.getOutline(),
          response.getCopyTaskIdsList(),
          response.getOrderObstacle(),
          response.getClientTimeoutMs());
    } catch (StatusException e) {
      // A stock dispatcher does not know the call. One that knows it and refuses it would refuse
      // the other calls, too.
      if (e.code() != StatusCode.UNIMPLEMENTED) {
        throw e;
      }
      requireNothingBeyondStock(e);
      return joinStock(dispatcher);
    }
  }

  private DataServiceMetadata metadata(DispatcherClient dispatcher) {
    return dispatcher
        .call(
            DispatcherServiceGrpc.getGetDataServiceMetadataMethod(),
            GetDataServiceMetadataRequest.newBuilder().setDatasetId(dataset.datasetId()).build(),
            cancellation)
        .getMetadata();
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
    request.setStrictNames(session.strictNames());
    request.setReader(session.readerId()).setJoinId(new SplittableRandom().nextLong());
    session.resumption().ifPresent(resumption -> follow(request, resumption));
    return request;
  }

  private void follow(JoinIterationRequest.Builder request, Resumption resumption) {
    CheckpointProto checkpoint = resumption.checkpoint().toProto();
    request
        .setSourcesFingerprint(checkpoint.getSourcesFingerprint())
        .setOutline(checkpoint.getOutline())
        .addAllPredecessors(resumption.predecessors(repetition))
        .addAllAncestors(resumption.ancestors())
        .setReaders(resumption.together())
        .setWaitsForAll(resumption.waitsForAll(repetition));
    if (checkpoint.hasJob()) {
      request.setTokenJob(checkpoint.getJob());
    }
    if (resumption.waitsForAll(repetition)) {
      request.setReaderIndex(resumption.reader());
    }
    taken(checkpoint)
        .ifPresent(taken -> request.setTaken(taken).setCopies(checkpoint.getCopyTaskIdsCount()));
  }

  /** The requested guarantee. GetElement does not carry origins, which exactly once requires. */
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

  /** The taken records of this pass; empty if the checkpoint does not cover it. */
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
            .setTargetWorkers(dataset.targetWorkers().toProto())
            .setUseCrossTrainerCache(dataset.cache().isPresent());
    dataset.jobName().ifPresent(job::setJobName);
    return job.build();
  }

  private void requireNothingBeyondStock(StatusException refusal) {
    ReadSession session = dataset.session();
    if (session.resumed().isPresent()
        || session.strictNames()
        || session.guarantee().filter(wanted -> wanted != Guarantee.AT_MOST_ONCE).isPresent()) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "only a Headrace dispatcher gives guarantees, goes on from checkpoints and compares the"
              + " datasets of a name, for what it can run: "
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
    return new Place(
        clientId,
        Guarantee.AT_MOST_ONCE,
        stock,
        0,
        DatasetOutline.getDefaultInstance(),
        List.of(),
        stock,
        0);
  }
}
