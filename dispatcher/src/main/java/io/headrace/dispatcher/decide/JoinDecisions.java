package io.headrace.dispatcher.decide;

import static io.headrace.dispatcher.graph.DatasetFingerprint.requireSame;

import io.headrace.dispatcher.graph.RowOrder;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.IterationSources;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.journal.FinishedPass;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decisions on JoinIteration: a Headrace client asks for a place in an iteration, with a guarantee.
 */
public final class JoinDecisions {
  private final JobDecisions jobs;
  private final IterationDecisions iterations;
  private final JoinTickets tickets;
  private final Duration clientTimeout;

  public JoinDecisions(
      JobDecisions jobs,
      IterationDecisions iterations,
      JoinTickets tickets,
      Duration clientTimeout) {
    this.jobs = jobs;
    this.iterations = iterations;
    this.tickets = tickets;
    this.clientTimeout = clientTimeout;
  }

  /**
   * The outcome of a request.
   *
   * @param response the reply
   * @param newTasks new tasks to send to their workers
   */
  public record Joined(JoinIterationResponse response, List<TaskDef> newTasks) {}

  /**
   * Facts about datasets, found out before the decision and away from the loop.
   *
   * @param sourcesOf the dataset whose sources were found; empty if none were needed
   * @param sources the findings
   * @param sameGraphAs the job's dataset, if its graph was found to compute what the requested
   *     dataset's does; empty if they were not compared
   */
  public record Findings(String sourcesOf, SplitSourceFinder.Found sources, String sameGraphAs) {}

  /**
   * The dataset whose sources or row order must be found before {@code request} can be decided;
   * empty if neither is needed.
   */
  public static Optional<RegisteredDataset> needsSplitSources(
      DispatcherState state, JoinIterationRequest request) {
    GetOrCreateJobRequest job = request.getJob();
    ShardingPolicy policy = job.getProcessingModeDef().getShardingPolicy();
    boolean isWhole = policy == ShardingPolicy.OFF && !job.getUseCrossTrainerCache();
    boolean counts = policy == ShardingPolicy.DYNAMIC || isWhole;
    Optional<Job> existing = JobDecisions.existing(state, job);
    boolean isThere =
        existing
            .filter(of -> state.hasRepetition(of, request.getRepetition()))
            .filter(of -> passToReopen(state, of, request).isEmpty())
            .isPresent();
    return counts && !isThere
        ? Optional.of(state.datasets().get(existing.map(Job::datasetId).orElse(job.getDatasetId())))
        : Optional.empty();
  }

  /**
   * Requires what was found out to be about the present job: one of the same name may have been
   * created or forgotten meanwhile.
   */
  private static void requireFound(
      DispatcherState state, JoinIterationRequest request, Findings findings) {
    boolean otherSources =
        needsSplitSources(state, request)
            .filter(needed -> !needed.id().equals(findings.sourcesOf()))
            .isPresent();
    boolean notCompared =
        request.getStrictNames()
            && SharedDataset.of(state, request.getJob())
                .filter(shared -> !shared.ofJob().id().equals(findings.sameGraphAs()))
                .isPresent();
    if (otherSources || notCompared) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE, "the job or its iteration has just changed; try again");
    }
  }

  /** The finished repetition that the request's token reopens, if it does. */
  private static Optional<FinishedPass> passToReopen(
      DispatcherState state, Job job, JoinIterationRequest request) {
    if (!job.isShareable()) {
      return Optional.empty();
    }
    Optional<Iteration> iteration = state.iterations().find(job, request.getRepetition());
    Optional<FinishedPass> pass =
        iteration.isPresent() && !iteration.get().isFinished()
            ? Optional.empty()
            : iteration
                .flatMap(Iteration::finishedPass)
                .or(() -> state.jobs().finishedPass(job, request.getRepetition()));
    return pass.filter(Takeover.of(request)::namesReaderOf);
  }

  /**
   * Gives a client its place, and creates the job and the iteration if they do not exist.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param request the client's request
   * @param findings about the datasets
   * @param nonce a random number for the name of an anonymous job
   * @throws StatusException INVALID_ARGUMENT if the job's elements are not of the structure that
   *     the client's dataset has
   */
  public Decision<Joined> join(
      DispatcherState state,
      LivenessView liveness,
      JoinIterationRequest request,
      Findings findings,
      long nonce) {
    requireFound(state, request, findings);
    SplitSourceFinder.Found sources = findings.sources();
    Optional<Job> existing = JobDecisions.existing(state, request.getJob());
    existing.ifPresent(job -> Guarantees.requireJoinable(job, request));
    SharedDataset.of(state, request.getJob()).ifPresent(SharedDataset::requireSameElements);
    Job job = existing.orElseGet(() -> create(state, request, sources, nonce));
    Optional<Iteration> iteration = state.iterations().find(job, request.getRepetition());
    Optional<Long> place =
        iteration
            .flatMap(Iteration::readers)
            .flatMap(of -> of.clientOf(request.getReader(), request.getJoinId()));
    if (place.isPresent()) {
      IterationDecisions.Place same =
          IterationDecisions.placeIn(iteration.orElseThrow(), place.get());
      return Decision.answer(new Joined(response(job, same), List.of()));
    }
    boolean takesPlaces = takesPlaces(job, iteration, request);
    if (takesPlaces && !tickets.isValid(request.getTicket())) {
      JoinIterationResponse ticket =
          JoinIterationResponse.newBuilder().setTicket(tickets.issue()).build();
      return Decision.answer(new Joined(ticket, List.of()));
    }
    Optional<FinishedPass> reopened = passToReopen(state, job, request);
    IterationDecisions.Beginning beginning =
        reopened.isPresent()
            ? beginning(job, request, sources).reopening(reopened.get())
            : iteration.isPresent()
                ? joining(iteration.get(), request)
                : state.jobs().hasFinished(job, request.getRepetition())
                    ? joiningFinished(job, request)
                    : beginning(job, request, sources);
    Decision<IterationDecisions.Place> made =
        iterations.place(state, liveness, job, request.getRepetition(), beginning);
    List<JournalRecord> records = new ArrayList<>();
    if (existing.isEmpty()) {
      records.add(JournalRecords.of(job.creation()));
    }
    records.addAll(made.records());
    if (takesPlaces) {
      tickets.use(request.getTicket());
    }
    return new Decision<>(
        records, new Joined(response(job, made.reply()), made.reply().newTasks()));
  }

  /** Whether the client may replace another client, of the same reader or of a predecessor. */
  private static boolean takesPlaces(
      Job job, Optional<Iteration> iteration, JoinIterationRequest request) {
    boolean isKnown =
        iteration
            .flatMap(Iteration::readers)
            .filter(readers -> readers.knows(request.getReader()))
            .isPresent();
    return job.isDynamic() && (isKnown || Takeover.of(request).hasToken());
  }

  private JoinIterationResponse response(Job job, IterationDecisions.Place place) {
    return JoinIterationResponse.newBuilder()
        .setIterationClientId(place.clientId())
        .setGuarantee(job.guarantee())
        .setReason(job.guaranteeReason())
        .setSourcesFingerprint(place.sourcesFingerprint())
        .setOutline(place.outline())
        .addAllCopyTaskIds(place.copies())
        .setOrderObstacle(place.orderObstacle())
        .setClientTimeoutMs(job.isShareable() ? clientTimeout.toMillis() : 0)
        .build();
  }

  private Job create(
      DispatcherState state,
      JoinIterationRequest request,
      SplitSourceFinder.Found sources,
      long nonce) {
    return jobs.create(state, request.getJob(), nonce, Guarantees.grant(state, request, sources));
  }

  /** The start for a reader of an existing iteration, which keeps the token that it began with. */
  private static IterationDecisions.Beginning joining(
      Iteration iteration, JoinIterationRequest request) {
    if (iteration.job().isDynamic()) {
      return joiningReaders(iteration, request);
    }
    boolean whole = iteration.job().isWhole();
    if (hasToken(request) || (whole && iteration.tokenHash() != 0)) {
      if (!whole) {
        requireExactlyOnce(iteration.job());
      }
      long hash = 0;
      if (hasToken(request)) {
        requireSame(iteration.sourcesFingerprint(), iteration.outline(), List.of(), request);
        hash = CopyTokens.hash(request);
      }
      if (hash != iteration.tokenHash()) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "repetition %d of job %s is being read, and began %s; join it %s, or under another"
                + " job name",
            iteration.repetition(),
            iteration.job().name(),
            iteration.tokenHash() == 0 ? "without a checkpoint" : "with another checkpoint",
            whole && iteration.tokenHash() != 0 ? "with that" : "without one");
      }
    }
    return IterationDecisions.Beginning.PLAIN;
  }

  /**
   * As {@link #joining}, with dynamic sharding. A finished iteration has nothing left for a reader
   * that does not reopen it.
   */
  private static IterationDecisions.Beginning joiningReaders(
      Iteration iteration, JoinIterationRequest request) {
    Takeover takeover = Takeover.of(request);
    if (iteration.isFinished()) {
      return joiningFinished(iteration.job(), request);
    }
    if (takeover.hasToken()) {
      requireExactlyOnce(iteration.job());
      requireSameSources(
          iteration.sourcesFingerprint(), iteration.outline(), iteration.sources().list(), request);
    }
    return iteration.job().isExactlyOnce()
        ? IterationDecisions.Beginning.PLAIN.by(takeover.checked(iteration.sources()))
        : IterationDecisions.Beginning.PLAIN;
  }

  /**
   * The start for a reader that joins a finished repetition, whose own token is no longer known.
   */
  private static IterationDecisions.Beginning joiningFinished(
      Job job, JoinIterationRequest request) {
    if (request.getTaken().getSourcesCount() > 0 || request.getCopies() > 0) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "repetition %d of job %s was read to its end; resume from the checkpoint under another"
              + " job name",
          request.getRepetition(),
          job.name());
    }
    return IterationDecisions.Beginning.PLAIN;
  }

  private static IterationDecisions.Beginning beginning(
      Job job, JoinIterationRequest request, SplitSourceFinder.Found found) {
    if (!hasToken(request)) {
      return IterationDecisions.Beginning.of(found).by(Takeover.of(request));
    }
    if (request.getCopies() > 0) {
      return beginningCopies(job, request, found);
    }
    requireExactlyOnce(job);
    IterationSources sources = new IterationSources(found.sources());
    requireSameSources(found.fingerprint(), found.outline(), found.sources(), request);
    return IterationDecisions.Beginning.of(found).by(Takeover.of(request).checked(sources));
  }

  /**
   * The readers skip the rows in their token themselves. This only checks that they can: the row
   * order must be known.
   */
  private static IterationDecisions.Beginning beginningCopies(
      Job job, JoinIterationRequest request, SplitSourceFinder.Found found) {
    RowOrder order = CopyTokens.requireOrder(job, found);
    requireSame(order.fingerprint(), found.outline(), List.of(), request);
    return IterationDecisions.Beginning.of(found)
        .ofCopies(CopyTokens.hash(request), request.getCopies());
  }

  /**
   * A reader that joined a finished repetition got no fingerprint, and its token may have no
   * records; it matches any sources.
   */
  private static void requireSameSources(
      long fingerprint,
      DatasetOutline outline,
      List<SplitSource> sources,
      JoinIterationRequest request) {
    if (request.getSourcesFingerprint() != 0 || request.getTaken().getSourcesCount() > 0) {
      requireSame(fingerprint, outline, sources, request);
    }
  }

  private static boolean hasToken(JoinIterationRequest request) {
    return Takeover.of(request).hasToken() || request.getCopies() > 0;
  }

  private static void requireExactlyOnce(Job job) {
    if (!job.isExactlyOnce()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "only a job that is read exactly once can resume from a checkpoint, and job %s is not:"
              + " %s",
          job.name(),
          job.guaranteeReason());
    }
  }
}
