package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.AwaitedReaders;
import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.ReaderTaken;
import io.headrace.runtime.origin.RecordSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The readers of an iteration, past and present, and the records that each has taken. A reader is
 * identified by a number that its tokens carry. A client that resumes from a token is the same
 * reader, or the successor of the readers that the token names. Mutated by {@link Iteration} only.
 *
 * <p>A token's records replace the reports of its readers: its owner has gone back to the token.
 */
public final class Readers {
  /** The most numbers of absent readers that are told. */
  private static final int MAX_MISSING = 100;

  private final RecordSet takenBefore;
  private final TreeMap<Long, Reader> byId = new TreeMap<>();
  private final Map<Long, Place> byClient = new HashMap<>();
  private final Set<Long> arrived = new TreeSet<>();
  private long awaited;
  private RecordSet taken;

  /**
   * One reader.
   *
   * @param predecessors the other readers that it succeeded when it joined, and its ancestors
   * @param together the size of the group that resumes together
   * @param index its number in the group, from 0; empty if it did not tell
   * @param read the read that its token was taken of
   * @param taken the records it has taken; modified by this class only
   */
  private record Reader(
      Set<Long> predecessors, long together, OptionalLong index, TokenRead read, RecordSet taken) {
    /** Whether the reader belongs to a group of {@code number} that succeeds {@code others}. */
    boolean isInGroup(Set<Long> others, long number) {
      return number > 1 && together == number && predecessors.equals(others);
    }
  }

  /**
   * A reader as a member of a group that resumes together.
   *
   * @param client its client; empty if it is not present
   * @param together the size of the group that it said; 0 for none
   * @param index its number in the group, from 0; empty if it did not tell
   * @param read the read that its token was taken of
   */
  public record Member(OptionalLong client, long together, OptionalLong index, TokenRead read) {}

  /** The reader that a client is, and the number of the request by which it joined. */
  private record Place(long reader, long joinId) {}

  /**
   * The readers at the start of an iteration.
   *
   * @param takenBefore records that count as taken by no reader in particular
   * @param readers the readers known so far, with their taken records
   * @param awaited the size of the group that resumes together; 0 for none
   * @param arrivedReaders the group's readers that have joined
   */
  public Readers(
      RecordSet takenBefore, List<ReaderTaken> readers, long awaited, List<Long> arrivedReaders) {
    this.takenBefore = takenBefore;
    this.awaited = awaited;
    arrived.addAll(arrivedReaders);
    taken = takenBefore.copy();
    for (ReaderTaken reader : readers) {
      RecordSet of = RecordSet.of(reader.getTaken());
      taken.addAll(of);
      byId.put(
          reader.getReader(),
          new Reader(
              Set.copyOf(reader.getPredecessorsList()),
              reader.getReaders(),
              reader.hasReaderIndex()
                  ? OptionalLong.of(reader.getReaderIndex())
                  : OptionalLong.empty(),
              TokenRead.of(reader),
              of));
    }
  }

  /** All records that count as taken. The caller must not modify the set. */
  RecordSet taken() {
    return taken;
  }

  /**
   * The records that count as taken whichever readers there are. The caller must not modify the
   * set.
   */
  RecordSet takenBefore() {
    return takenBefore;
  }

  /** The number of records that count as taken; a split or group that is complete counts as one. */
  public long numTaken() {
    return taken.size();
  }

  /** Whether no reader has joined yet, nor is known from before. */
  boolean areNone() {
    return byId.isEmpty();
  }

  public boolean knows(long reader) {
    return byId.containsKey(reader);
  }

  /** The reader of a present client; the client's own id if it has no number. */
  public long of(long client) {
    @Nullable Place place = byClient.get(client);
    return place == null ? client : place.reader;
  }

  /** The number of the join request of {@code client}; 0 if the request had none. */
  long joinIdOf(long client) {
    @Nullable Place place = byClient.get(client);
    return place == null ? 0 : place.joinId;
  }

  /** The present client that joined by a request. */
  public Optional<Long> clientOf(long reader, long joinId) {
    return byClient.entrySet().stream()
        .filter(entry -> joinId != 0 && entry.getValue().equals(new Place(reader, joinId)))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The present clients of {@code readers}, by id. */
  public List<Long> clientsOf(Set<Long> readers) {
    return byClient.entrySet().stream()
        .filter(entry -> readers.contains(entry.getValue().reader))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** A reader as a member of a group. */
  public Member member(long reader) {
    @Nullable Reader known = byId.get(reader);
    List<Long> clients = clientsOf(Set.of(reader));
    return new Member(
        clients.isEmpty() ? OptionalLong.empty() : OptionalLong.of(clients.getFirst()),
        known == null ? 0 : known.together,
        known == null ? OptionalLong.empty() : known.index,
        known == null ? TokenRead.UNKNOWN : known.read);
  }

  /**
   * The readers that {@code reader} replaces when it joins, one of {@code together} that succeed
   * {@code predecessors}: itself, its predecessors, and all readers that succeeded any of these
   * before, except the members of its own group. A reader that began the pass from a later token
   * names the readers before it as ancestors, so it is known as a successor of theirs.
   */
  public Set<Long> replacedBy(
      long reader, Set<Long> predecessors, Set<Long> ancestors, long together) {
    Set<Long> others = new TreeSet<>(predecessors);
    others.addAll(ancestors);
    others.remove(reader);
    Set<Long> replaced = new TreeSet<>(predecessors);
    replaced.add(reader);
    boolean complete = predecessors.isEmpty();
    while (!complete) {
      complete = true;
      for (Map.Entry<Long, Reader> known : byId.entrySet()) {
        if (!Collections.disjoint(known.getValue().predecessors, replaced)
            && !known.getValue().isInGroup(others, together)) {
          complete &= !replaced.add(known.getKey());
        }
      }
    }
    replaced.retainAll(byId.keySet());
    return replaced;
  }

  /** Whether splits are held back until all readers of the group have joined. */
  public boolean areAwaited() {
    return arrived.size() < awaited;
  }

  /** The number of readers that resume together; 0 if no request has said so. */
  public long awaited() {
    return awaited;
  }

  /** The readers of the group that have joined. */
  public Set<Long> arrived() {
    return Collections.unmodifiableSet(arrived);
  }

  /** The group that has not all joined; empty if no splits are held back for one. */
  public Optional<AwaitedReaders> missing() {
    if (!areAwaited()) {
      return Optional.empty();
    }
    AwaitedReaders.Builder group =
        AwaitedReaders.newBuilder().setReaders(awaited).setJoined(arrived.size());
    Set<Long> known = new TreeSet<>();
    for (long reader : arrived) {
      @Nullable Reader joined = byId.get(reader);
      if (joined != null) {
        joined.index.ifPresent(known::add);
      }
    }
    if (known.size() == arrived.size()) {
      LongStream.range(0, awaited)
          .filter(index -> !known.contains(index))
          .limit(MAX_MISSING)
          .forEach(group::addMissing);
    }
    return Optional.of(group.build());
  }

  /** The taken records of all readers, as messages. */
  List<ReaderTaken> toProto() {
    return toProto(Set.of());
  }

  /**
   * All readers as messages, with their predecessors; the taken records of {@code replaced} are
   * left out.
   */
  public List<ReaderTaken> toProto(Set<Long> replaced) {
    return byId.entrySet().stream()
        .map(entry -> message(entry.getKey(), entry.getValue(), replaced))
        .toList();
  }

  private static ReaderTaken message(long id, Reader reader, Set<Long> replaced) {
    RecordSet taken = replaced.contains(id) ? new RecordSet() : reader.taken;
    ReaderTaken.Builder message =
        ReaderTaken.newBuilder()
            .setReader(id)
            .addAllPredecessors(new TreeSet<>(reader.predecessors))
            .setReaders(reader.together)
            .setTaken(taken.toProto());
    reader.index.ifPresent(message::setReaderIndex);
    reader.read.addTo(message);
    return message.build();
  }

  // Mutators.

  /** Adds a client; returns whether the records that count as taken have been replaced. */
  boolean join(ClientAcquired change) {
    long id = change.getReader() == 0 ? change.getIterationClientId() : change.getReader();
    byClient.put(change.getIterationClientId(), new Place(id, change.getJoinId()));
    if (change.getReplacedCount() == 0 && !change.hasTaken()) {
      var _ = getOrAdd(id);
      return false;
    }
    Set<Long> departed = new HashSet<>(change.getDepartedList());
    clearTaken(departed);
    arrived.removeAll(departed);
    Set<Long> replaced = new HashSet<>(change.getReplacedList());
    clearTaken(replaced);
    Set<Long> predecessors = succeed(id, change);
    long heir = change.getPredecessorsCount() > 0 ? change.getPredecessors(0) : id;
    getOrAdd(heir).taken.addAll(RecordSet.of(change.getTaken()));
    replaced.remove(id);
    if (!Collections.disjoint(arrived, replaced)) {
      stopWaiting();
    }
    if (change.getWaitsForAll()) {
      countArrivals(predecessors, change.getReaders());
    }
    recountTaken();
    return true;
  }

  private void clearTaken(Set<Long> replaced) {
    byId.replaceAll((known, reader) ->
        replaced.contains(known)
            ? new Reader(
                reader.predecessors, reader.together, reader.index, reader.read, new RecordSet())
            : reader);
  }

  /**
   * Registers a reader with its predecessors and their ancestors, and returns these. A reader that
   * resumes from its own token keeps the predecessors that it had.
   */
  private Set<Long> succeed(long id, ClientAcquired change) {
    boolean alone = change.getPredecessorsList().equals(List.of(id));
    Set<Long> predecessors = new HashSet<>(change.getPredecessorsList());
    predecessors.addAll(change.getAncestorsList());
    predecessors.forEach(this::getOrAdd);
    long together = change.getReaders();
    OptionalLong index =
        change.hasReaderIndex() ? OptionalLong.of(change.getReaderIndex()) : OptionalLong.empty();
    @Nullable Reader before = byId.get(id);
    if (before != null) {
      together = alone && before.together > 0 ? before.together : together;
      index = index.isPresent() ? index : before.index;
      predecessors.addAll(before.predecessors);
    }
    predecessors.remove(id);
    TokenRead read = TokenRead.of(change, predecessors);
    byId.put(id, new Reader(Set.copyOf(predecessors), together, index, read, new RecordSet()));
    return predecessors;
  }

  private Reader getOrAdd(long reader) {
    return byId.computeIfAbsent(
        reader,
        _ -> new Reader(Set.of(), 0, OptionalLong.empty(), TokenRead.UNKNOWN, new RecordSet()));
  }

  /** Counts the members of a group that have joined; some may have joined, and left, before. */
  private void countArrivals(Set<Long> predecessors, long together) {
    if (awaited != together) {
      stopWaiting();
    }
    awaited = together;
    byId.forEach((id, reader) -> {
      if (reader.isInGroup(predecessors, together)) {
        arrived.add(id);
      }
    });
  }

  /** Stops waiting: a successor has taken over a member that had joined. */
  private void stopWaiting() {
    arrived.clear();
    awaited = 0;
  }

  private void recountTaken() {
    taken = takenBefore.copy();
    byId.values().forEach(reader -> taken.addAll(reader.taken));
  }

  void leave(long client) {
    byClient.remove(client);
  }

  /** Whether {@code records} are among those that a present client's reader has taken. */
  public boolean hasTaken(long client, RecordSet records) {
    @Nullable Reader reader = byId.get(of(client));
    return reader != null && reader.taken.containsAll(records);
  }

  /** Adds records that a present client has taken. */
  void take(long client, RecordSet more) {
    long id = of(client);
    getOrAdd(id).taken.addAll(more);
    taken.addAll(more);
  }
}
