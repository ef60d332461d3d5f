package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.ReaderTaken;
import io.headrace.runtime.origin.RecordSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who reads, or has read, an iteration, and what each has taken of it. A reader is known by a
 * number that its tokens carry; the client that goes on from one is the same reader, or follows the
 * readers that the token tells of. Changed by {@link Iteration} only.
 *
 * <p>What a token says replaces what the readers that it tells of had reported: its owner has gone
 * back to it.
 */
public final class Readers {
  private final RecordSet ofNobody;
  private final TreeMap<Long, Reader> byId = new TreeMap<>();
  private final Map<Long, Place> byClient = new HashMap<>();
  private final Set<Long> arrived = new TreeSet<>();
  private long awaited;
  private RecordSet taken;

  /**
   * One reader.
   *
   * @param predecessors the others that it followed when it came
   * @param together how many came with the same purpose
   * @param taken what it has taken; changed here only
   */
  private record Reader(Set<Long> predecessors, long together, RecordSet taken) {
    /** Whether it is one of as many that follow the same readers. */
    boolean comesWith(Set<Long> others, long number) {
      return number > 1 && together == number && predecessors.equals(others);
    }
  }

  /** Who a client is, and by which request it came. */
  private record Place(long reader, long joinId) {}

  /**
   * Those that are known when an iteration begins.
   *
   * @param ofNobody records that count as taken whoever comes
   */
  public Readers(
      RecordSet ofNobody, List<ReaderTaken> readers, long awaited, List<Long> arrivedReaders) {
    this.ofNobody = ofNobody;
    this.awaited = awaited;
    arrived.addAll(arrivedReaders);
    taken = ofNobody.copy();
    for (ReaderTaken reader : readers) {
      RecordSet of = RecordSet.of(reader.getTaken());
      taken.addAll(of);
      byId.put(
          reader.getReader(),
          new Reader(Set.copyOf(reader.getPredecessorsList()), reader.getReaders(), of));
    }
  }

  /** All that counts as taken; not to be changed. */
  RecordSet taken() {
    return taken;
  }

  /** What counts as taken whoever reads; not to be changed. */
  RecordSet ofNobody() {
    return ofNobody;
  }

  public boolean knows(long reader) {
    return byId.containsKey(reader);
  }

  /** The reader that {@code client}, which is there, is. */
  long of(long client) {
    @Nullable Place place = byClient.get(client);
    return place == null ? client : place.reader;
  }

  /** The request that {@code client} came by; 0 if that had no number. */
  long joinIdOf(long client) {
    @Nullable Place place = byClient.get(client);
    return place == null ? 0 : place.joinId;
  }

  /** The client that came by a request, if it is still there. */
  public Optional<Long> clientOf(long reader, long joinId) {
    return byClient.entrySet().stream()
        .filter(entry -> joinId != 0 && entry.getValue().equals(new Place(reader, joinId)))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The clients that are there as one of {@code readers}. */
  public List<Long> clientsOf(Set<Long> readers) {
    return byClient.entrySet().stream()
        .filter(entry -> readers.contains(entry.getValue().reader))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /**
   * Whose place is taken by {@code reader}, one of {@code together} that follow {@code
   * predecessors}: theirs, its own, and that of whoever followed any of these before, but for those
   * that come together with it.
   */
  public Set<Long> replacedBy(long reader, Set<Long> predecessors, long together) {
    Set<Long> others = new TreeSet<>(predecessors);
    others.remove(reader);
    Set<Long> replaced = new TreeSet<>(predecessors);
    replaced.add(reader);
    boolean complete = predecessors.isEmpty();
    while (!complete) {
      complete = true;
      for (Map.Entry<Long, Reader> known : byId.entrySet()) {
        if (!Collections.disjoint(known.getValue().predecessors, replaced)
            && !known.getValue().comesWith(others, together)) {
          complete &= !replaced.add(known.getKey());
        }
      }
    }
    replaced.retainAll(byId.keySet());
    return replaced;
  }

  /** Whether readers are waited for before anything is handed out. */
  public boolean areAwaited() {
    return arrived.size() < awaited;
  }

  /** How many readers go on together; 0 if that was never said. */
  public long awaited() {
    return awaited;
  }

  /** Those of them that have come. */
  public Set<Long> arrived() {
    return Collections.unmodifiableSet(arrived);
  }

  /** What all have taken, as messages. */
  List<ReaderTaken> toProto() {
    return toProto(Set.of());
  }

  /** What all but {@code replaced} have taken, as messages; whom these followed is known still. */
  public List<ReaderTaken> toProto(Set<Long> replaced) {
    return byId.entrySet().stream()
        .map(entry -> message(entry.getKey(), entry.getValue(), replaced))
        .toList();
  }

  private static ReaderTaken message(long id, Reader reader, Set<Long> replaced) {
    RecordSet taken = replaced.contains(id) ? new RecordSet() : reader.taken;
    return ReaderTaken.newBuilder()
        .setReader(id)
        .addAllPredecessors(new TreeSet<>(reader.predecessors))
        .setReaders(reader.together)
        .setTaken(taken.toProto())
        .build();
  }

  // Changes.

  /** A client comes; gives whether what counts as taken is another set now. */
  boolean join(ClientAcquired change) {
    long id = change.getReader() == 0 ? change.getIterationClientId() : change.getReader();
    byClient.put(change.getIterationClientId(), new Place(id, change.getJoinId()));
    if (change.getReplacedCount() == 0 && !change.hasTaken()) {
      var _ = learn(id);
      return false;
    }
    Set<Long> replaced = new HashSet<>(change.getReplacedList());
    undo(replaced);
    Set<Long> predecessors = follow(id, change);
    long heir = change.getPredecessorsCount() > 0 ? change.getPredecessors(0) : id;
    learn(heir).taken.addAll(RecordSet.of(change.getTaken()));
    replaced.remove(id);
    if (!Collections.disjoint(arrived, replaced)) {
      awaitNobody();
    }
    if (change.getWaitsForAll()) {
      arrive(predecessors, change.getReaders());
    }
    recount();
    return true;
  }

  private void undo(Set<Long> replaced) {
    byId.replaceAll((known, reader) ->
        replaced.contains(known)
            ? new Reader(reader.predecessors, reader.together, new RecordSet())
            : reader);
  }

  /** Gives the others that a reader follows; who goes on from its own token follows as before. */
  private Set<Long> follow(long id, ClientAcquired change) {
    Set<Long> predecessors = new HashSet<>(change.getPredecessorsList());
    predecessors.forEach(this::learn);
    long together = change.getReaders();
    @Nullable Reader before = byId.get(id);
    if (before != null) {
      together = predecessors.equals(Set.of(id)) ? before.together : together;
      predecessors.addAll(before.predecessors);
    }
    predecessors.remove(id);
    byId.put(id, new Reader(Set.copyOf(predecessors), together, new RecordSet()));
    return predecessors;
  }

  private Reader learn(long reader) {
    return byId.computeIfAbsent(reader, _ -> new Reader(Set.of(), 0, new RecordSet()));
  }

  /** One comes of those that follow the same readers; some may have come, and gone, before. */
  private void arrive(Set<Long> predecessors, long together) {
    if (awaited != together) {
      awaitNobody();
    }
    awaited = together;
    byId.forEach((id, reader) -> {
      if (reader.comesWith(predecessors, together)) {
        arrived.add(id);
      }
    });
  }

  /** Others go on in the place of some that had come. */
  private void awaitNobody() {
    arrived.clear();
    awaited = 0;
  }

  private void recount() {
    taken = ofNobody.copy();
    byId.values().forEach(reader -> taken.addAll(reader.taken));
  }

  void leave(long client) {
    byClient.remove(client);
  }

  /** A client that is there has taken more. */
  void take(long client, RecordSet more) {
    long id = of(client);
    learn(id).taken.addAll(more);
    taken.addAll(more);
  }
}
