package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.IterationSources;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.TokenRead;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.FinishedPass;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.ReaderTaken;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * A reader that joins an iteration which is read exactly once, and the readers that it succeeds.
 *
 * @param reader its number; 0 if it has none
 * @param predecessors the readers that its token names
 * @param ancestors the readers that it follows, in whatever pass they were
 * @param together the size of the group that resumes together
 * @param token the token's records; empty without a token
 * @param index its number in the group, from 0; empty if it did not tell
 * @param waitsForAll whether splits are held back until the whole group has joined
 * @param joinId the number of its request; 0 for none
 * @param read the read that its token was taken of
 */
record Takeover(
    long reader,
    Set<Long> predecessors,
    Set<Long> ancestors,
    long together,
    OptionalLong index,
    Optional<RecordSet> token,
    boolean waitsForAll,
    long joinId,
    TokenRead read) {
  static final Takeover NOBODY = of(JoinIterationRequest.getDefaultInstance());

  static Takeover of(JoinIterationRequest request) {
    boolean hasToken =
        request.getPredecessorsCount() > 0 || request.getTaken().getSourcesCount() > 0;
    return new Takeover(
        request.getReader(),
        new TreeSet<>(request.getPredecessorsList()),
        new TreeSet<>(request.getAncestorsList()),
        Math.max(1, request.getReaders()),
        request.hasReaderIndex() ? OptionalLong.of(request.getReaderIndex()) : OptionalLong.empty(),
        hasToken
            ? Optional.of(IterationSources.parse(request.getTaken(), "taken"))
            : Optional.empty(),
        request.getWaitsForAll(),
        request.getJoinId(),
        TokenRead.of(
            request.hasTokenJob() ? Optional.of(request.getTokenJob()) : Optional.empty(),
            request.getPredecessorsList(),
            request.getAncestorsList()));
  }

  /**
   * Checks the token's records against {@code sources}.
   *
   * @throws StatusException INVALID_ARGUMENT for records that the sources don't have
   */
  Takeover checked(IterationSources sources) {
    token.ifPresent(records -> {
      var _ = sources.read(records.toProto(), "taken");
    });
    return this;
  }

  boolean hasToken() {
    return token.isPresent();
  }

  /** Whether there is no token, or one without records. */
  private boolean isEmpty() {
    return token.filter(records -> !records.isEmpty()).isEmpty();
  }

  /**
   * The records that let the reader into an unfinished iteration: they release the clients that it
   * replaces, and end the tasks that make records of the token again.
   *
   * @throws StatusException FAILED_PRECONDITION if the token belongs to another run of the job, or
   *     contradicts those of readers that resume together with this one
   */
  List<JournalRecord> joinRecords(Iteration iteration, long clientId) {
    Readers readers = iteration.readers().orElseThrow();
    boolean known = isKnown(readers);
    if (!known && !isEmpty() && !readers.areAwaited()) {
      throw unknown(iteration);
    }
    List<JournalRecord> records = new ArrayList<>();
    Set<Long> replaced = replaced(readers);
    List<Long> gone = readers.clientsOf(replaced);
    Set<Long> departed = new GroupRules(iteration, this, replaced).contradicted();
    gone.forEach(client -> records.add(release(iteration, client)));
    Optional<SplitAccounts> accounts = iteration.accounts();
    if (accounts.isPresent() && token.isPresent()) {
      for (long task : accounts.get().tasksRemaking(token.get())) {
        records.add(
            JournalRecords.taskLost(task, OptionalLong.empty(), LossReason.RECORDS_RESUMED));
      }
    }
    boolean joinsOthers = accounts.isPresent() && iteration.numClients() > gone.size();
    ClientAcquired place = acquired(iteration.id(), clientId, replaced, joinsOthers);
    records.add(JournalRecords.of(place.toBuilder().addAllDeparted(departed).build()));
    return records;
  }

  private Set<Long> replaced(Readers readers) {
    return reader == 0
        ? new TreeSet<>()
        : readers.replacedBy(reader, predecessors, ancestors, together);
  }

  /** The release of a client that the reader replaces. */
  JournalRecord release(Iteration iteration, long client) {
    return JournalRecords.clientReplaced(
        client, iteration.id(), GroupRules.replacement(iteration, client, this));
  }

  /** The reader's place in an iteration that is created for it. */
  ClientAcquired beginning(long iterationId, long clientId) {
    return acquired(iterationId, clientId, Set.of(), false);
  }

  private ClientAcquired acquired(
      long iterationId, long clientId, Set<Long> replaced, boolean joinsOthers) {
    ClientAcquired.Builder change =
        ClientAcquired.newBuilder()
            .setIterationClientId(clientId)
            .setIterationId(iterationId)
            .setJoinsOthers(joinsOthers)
            .setReader(reader)
            .setJoinId(joinId);
    index.ifPresent(change::setReaderIndex);
    read.job().ifPresent(change::setTokenJob);
    token.ifPresent(records ->
        change
            .addAllPredecessors(predecessors)
            .addAllAncestors(ancestors)
            .setReaders(together)
            .setWaitsForAll(waitsForAll && together > 1)
            .setTaken(records.toProto()));
    return change.addAllReplaced(replaced).build();
  }

  private boolean isKnown(Readers readers) {
    return predecessors.stream().anyMatch(readers::knows);
  }

  private static StatusException unknown(Iteration iteration) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "repetition %d of job %s is being read, and none of its readers is one of the checkpoint's;"
            + " readers that resume together must each say which it is of how many, or share one"
            + " merged checkpoint; or join it without a checkpoint, or under another job name",
        iteration.repetition(),
        iteration.job().name());
  }

  /**
   * The creation of an iteration that reopens a finished repetition. It begins with the token's
   * records and those of the readers that the reader does not replace.
   *
   * @param pass the finished repetition's readers
   * @param creation the creation record to complete
   */
  IterationCreated.Builder reopen(FinishedPass pass, IterationCreated creation) {
    Readers readers = new Readers(new RecordSet(), pass.getReadersList(), 0, List.of());
    return creation.toBuilder().setAgain(true).addAllReaders(readers.toProto(replaced(readers)));
  }

  /** Whether the token names a reader of the finished repetition. */
  boolean namesReaderOf(FinishedPass pass) {
    return hasToken()
        && pass.getReadersList().stream()
            .map(ReaderTaken::getReader)
            .anyMatch(predecessors::contains);
  }

  /**
   * The clients of a finished iteration that the reader replaces.
   *
   * @throws StatusException UNAVAILABLE if the iteration has other clients: the records that they
   *     still hold are unknown
   */
  List<Long> replacedClients(Iteration iteration) {
    List<Long> gone =
        iteration
            .readers()
            .map(readers -> readers.clientsOf(replaced(readers)))
            .orElseGet(List::of);
    if (gone.size() < iteration.numClients()) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE,
          "repetition %d of job %s was read to its end, and %d other readers still have elements"
              + " of it; the remainder is known once they have taken them",
          iteration.repetition(),
          iteration.job().name(),
          iteration.numClients() - gone.size());
    }
    return gone;
  }
}
