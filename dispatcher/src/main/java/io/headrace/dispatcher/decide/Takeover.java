package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.Accounts;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.Records;
import io.headrace.dispatcher.state.Sources;
import io.headrace.proto.headrace.JoinIterationRequest;
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
 * A reader that comes to an iteration which is read exactly once, and whom it follows.
 *
 * @param reader its number; 0 if it has none
 * @param predecessors the readers that its token tells of
 * @param together how many go on together
 * @param token what the token has; empty without a token
 * @param waitsForAll whether nothing is handed out before all of those have come
 * @param joinId the number of its request; 0 for none
 */
record Takeover(
    long reader,
    Set<Long> predecessors,
    long together,
    Optional<RecordSet> token,
    boolean waitsForAll,
    long joinId) {
  static final Takeover NOBODY = new Takeover(0, Set.of(), 0, Optional.empty(), false, 0);

  static Takeover of(JoinIterationRequest request) {
    boolean hasToken =
        request.getPredecessorsCount() > 0 || request.getTaken().getSourcesCount() > 0;
    return new Takeover(
        request.getReader(),
        new TreeSet<>(request.getPredecessorsList()),
        Math.max(1, request.getReaders()),
        hasToken ? Optional.of(Sources.parse(request.getTaken(), "taken")) : Optional.empty(),
        request.getWaitsForAll(),
        request.getJoinId());
  }

  /** The same with a token whose records {@code sources} has; INVALID_ARGUMENT for others. */
  Takeover checked(Sources sources) {
    token.ifPresent(records -> {
      var _ = sources.read(records.toProto(), "taken");
    });
    return this;
  }

  boolean hasToken() {
    return token.isPresent();
  }

  /** Whether the token is of no use for a pass that its readers have nothing to do with. */
  private boolean isEmpty() {
    return token.filter(records -> !records.isEmpty()).isEmpty();
  }

  /**
   * What lets the reader in among those of an iteration that is not finished: the clients whose
   * place it takes are released, and what is made again that the token has is made no more.
   *
   * @throws StatusException FAILED_PRECONDITION if the token is of another run of the job
   */
  List<JournalRecord> records(Iteration iteration, long clientId) {
    Readers readers = iteration.readers().orElseThrow();
    boolean known = isKnown(readers);
    if (!known && !isEmpty() && !readers.areAwaited()) {
      throw unknown(iteration);
    }
    List<JournalRecord> records = new ArrayList<>();
    Set<Long> replaced = replaced(readers);
    List<Long> gone = readers.clientsOf(replaced);
    gone.forEach(client -> records.add(Records.clientReleased(client, iteration.id())));
    Optional<Accounts> accounts = iteration.accounts();
    if (accounts.isPresent() && token.isPresent()) {
      for (long task : accounts.get().remakingOf(token.get())) {
        records.add(Records.taskLost(task, OptionalLong.empty()));
      }
    }
    boolean joinsOthers = accounts.isPresent() && iteration.numClients() > gone.size();
    records.add(Records.of(acquired(iteration.id(), clientId, replaced, joinsOthers)));
    return records;
  }

  private Set<Long> replaced(Readers readers) {
    return reader == 0 ? Set.of() : readers.replacedBy(reader, predecessors, together);
  }

  /** A place in an iteration that is made for it. */
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
    token.ifPresent(records ->
        change
            .addAllPredecessors(predecessors)
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
        "repetition %d of job %s goes on already, and none of its readers is one of the token's;"
            + " readers that go on together must say how many they are, or have one merged token;"
            + " or join it without a token, or under another job name",
        iteration.repetition(),
        iteration.job().name());
  }

  /**
   * How a repetition begins again that was read to its end: with what the token's readers and those
   * that it does not tell of have taken.
   *
   * @param pass who took what
   */
  IterationCreated.Builder again(FinishedPass pass, IterationCreated creation) {
    Readers readers = new Readers(new RecordSet(), pass.getReadersList(), 0, List.of());
    return creation.toBuilder().setAgain(true).addAllReaders(readers.toProto(replaced(readers)));
  }

  /** Whether the token is of readers of a repetition that was read to its end. */
  boolean isOf(FinishedPass pass) {
    return hasToken()
        && pass.getReadersList().stream()
            .map(ReaderTaken::getReader)
            .anyMatch(predecessors::contains);
  }

  /**
   * The clients of an iteration that is finished, whose place the reader takes.
   *
   * @throws StatusException UNAVAILABLE if there are others: what they hold is not known yet
   */
  List<Long> lastOf(Iteration iteration) {
    List<Long> gone =
        iteration
            .readers()
            .map(readers -> readers.clientsOf(replaced(readers)))
            .orElseGet(List::of);
    if (gone.size() < iteration.numClients()) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE,
          "repetition %d of job %s was read to its end, and %d other readers still have elements"
              + " of it; what is left is known when they have taken them",
          iteration.repetition(),
          iteration.job().name(),
          iteration.numClients() - gone.size());
    }
    return gone;
  }
}
