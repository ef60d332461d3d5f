package io.headrace.dispatcher;

import io.headrace.proto.headrace.Guarantee;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Checks for each pass with dynamic sharding of a {@link Simulation} that its records were taken as
 * often as the guarantee demands.
 *
 * <p>At least once: the records fetched by all readers, dead ones included, are complete.
 *
 * <p>Exactly once: all readers together have taken each record once. After a reader's death another
 * reader may take again the records it took since its last report. The records that it held when it
 * died are lost if it was the only reader, or if it had already answered the final settlement.
 */
final class DeliveryChecker {
  private final Simulation simulation;
  private final Map<Long, Client> clients = new HashMap<>();
  private final Map<Long, Pass> passes = new HashMap<>();
  private final ReaderLineage lineage = new ReaderLineage();
  private final Map<Guarantee, Long> judged = new EnumMap<>(Guarantee.class);

  private final Map<Long, RecordSet> mayBeLost = new HashMap<>();
  private final Map<Long, Map<Long, LongSet>> takenByStock = new HashMap<>();
  private long resumed;
  private long resumedByName;
  private long begunAgain;
  private long answeredInTime;

  private static final class Client {
    private final RecordSet fetched = new RecordSet();
    private final RecordSet taken = new RecordSet();
    private final RecordSet reported = new RecordSet();
    private final RecordSet token = new RecordSet();
    private final List<Client> goneBefore = new ArrayList<>();
    private final boolean inTime;
    private final Who who;
    private final ReaderLineage.Life life;
    private RecordSet answered = new RecordSet();
    private boolean asked;
    private boolean dead;
    private boolean left;
    private boolean replaced;

    Client(boolean inTime, Who who, ReaderLineage.Life life) {
      this.inTime = inTime;
      this.who = who;
      this.life = life;
    }

    /** Whether the dispatcher had been told that the reader took a part of the element. */
    boolean hasTold(RecordSet element) {
      boolean inToken = overlap(token, element);
      return overlap(reported, element)
          || (inToken && goneBefore.isEmpty())
          || (inToken && goneBefore.stream().anyMatch(client -> client.hasTold(element)));
    }
  }

  /** The identity of a client: a reader is a sequence of clients in each pass. */
  record Who(long reader, String job, long repetition) {}

  private static final class Pass {
    private final SimulatedDataset sources;
    private final Guarantee guarantee;
    private final Set<Long> clients = new HashSet<>();

    /** The clients of the iteration itself, if it has reopened an earlier one. */
    private final Set<Long> own = new HashSet<>();

    private boolean resumed;

    Pass(SimulatedDataset sources, Guarantee guarantee) {
      this.sources = sources;
      this.guarantee = guarantee;
    }
  }

  DeliveryChecker(Simulation simulation) {
    this.simulation = simulation;
  }

  /** The number of passes that resumed from a token and were read to the end. */
  long resumed() {
    return resumed;
  }

  /** The number of passes with this guarantee that were read to the end. */
  long judged(Guarantee guarantee) {
    return judged.getOrDefault(guarantee, 0L);
  }

  /** A reader has joined an iteration, with the taken records of {@code token}. */
  void joins(
      long iteration,
      long client,
      SimulatedDataset sources,
      Guarantee guarantee,
      Who who,
      RecordSet token) {
    Client joined =
        new Client(!simulation.ledger().wasFinished(iteration), who, lineage.lifeOf(who.reader));
    clients.forEach((id, other) -> {
      if (other.who.equals(who) && guarantee == Guarantee.EXACTLY_ONCE) {
        replace(id < client ? other : joined);
      }
    });
    clients.put(client, joined);
    if (!passes.containsKey(iteration)) {
      passes.put(iteration, begun(sources, guarantee, who));
    }
    Pass pass = Objects.requireNonNull(passes.get(iteration));
    pass.clients.add(client);
    pass.own.add(client);
    joined.taken.addAll(token);
    joined.token.addAll(token);
    joined.goneBefore.addAll(goneBefore(pass, joined.life));
    pass.resumed |= !token.isEmpty();
    if (!who.job.isEmpty() && !token.isEmpty()) {
      resumedByName++;
    }
  }

  /**
   * The last clients of the readers that a reader replaces, if one of them was gone: records of
   * their tokens that they had not reported may have been made again already.
   */
  private List<Client> goneBefore(Pass pass, ReaderLineage.Life life) {
    Map<Long, Long> last = new HashMap<>();
    for (long id : pass.clients) {
      Client client = client(id);
      if (client.replaced && lineage.isOf(life, client.life)) {
        last.merge(client.who.reader, id, Math::max);
      }
    }
    boolean wasGone =
        last.values().stream()
            .anyMatch(id -> simulation.ledger().wasExpelled(id) || client(id).left);
    return wasGone ? last.values().stream().map(this::client).toList() : List.of();
  }

  /** Reopens a finished pass, whose readers' taken records count. */
  private Pass begun(SimulatedDataset sources, Guarantee guarantee, Who who) {
    Pass pass = new Pass(sources, guarantee);
    if (guarantee == Guarantee.EXACTLY_ONCE && !who.job.isEmpty()) {
      List<Long> before =
          passes.entrySet().stream()
              .filter(entry -> isOf(entry.getValue(), who))
              .map(Map.Entry::getKey)
              .filter(id ->
                  simulation.ledger().wasFinished(id) && !simulation.ledger().wasCollected(id))
              .toList();
      for (long id : before) {
        pass.clients.addAll(Objects.requireNonNull(passes.remove(id)).clients);
        begunAgain++;
      }
    }
    return pass;
  }

  private boolean isOf(Pass pass, Who who) {
    return pass.clients.stream()
        .map(id -> client(id).who)
        .anyMatch(other -> other.job.equals(who.job) && other.repetition == who.repetition);
  }

  /**
   * A reader resumes from a token: what the token's readers took since no longer counts, nor what
   * it took itself, whether it lives to hear the answer to its request or not.
   */
  void goesOn(long reader, SimulatedToken token) {
    replace(reader, token.firstRepetition());
    token
        .passes()
        .forEach((repetition, pass) ->
            pass.readers().forEach(before -> goesOn(reader, before, repetition)));
  }

  private void goesOn(long reader, long before, long repetition) {
    lineage.follows(reader, lineage.lifeOf(before));
    replace(before, repetition);
  }

  /**
   * A group begins again from a token, which undoes what readers after the token took. Some of them
   * may have had the numbers of the group's members.
   */
  void beginsAgain(Set<Long> group, Collection<Long> readers, SimulatedToken token) {
    List<ReaderLineage.Life> undone =
        readers.stream()
            .filter(reader -> !token.readers().contains(reader))
            .map(lineage::lifeOf)
            .filter(life -> token.readers().stream().anyMatch(of -> lineage.isOfAny(life, of)))
            .toList();
    group.forEach(lineage::beginLife);
    for (ReaderLineage.Life life : undone) {
      group.forEach(reader -> lineage.follows(reader, life));
      replace(life.reader(), 0);
    }
  }

  private void replace(long reader, long firstRepetition) {
    for (Client client : clients.values()) {
      if (client.who.reader == reader && client.who.repetition >= firstRepetition) {
        replace(client);
      }
    }
  }

  private static void replace(Client client) {
    client.replaced = true;
    client.dead = true;
  }

  /**
   * Whether one of {@code readers} succeeds a client; true if the reply to its join is in flight.
   */
  boolean isOneOf(long client, Set<Long> readers) {
    return clients.containsKey(client)
        ? readers.stream()
            .anyMatch(reader -> lineage.isOf(lineage.lifeOf(reader), client(client).life))
        : !readers.isEmpty();
  }

  /** The number of resumptions in a job by its name; below, the number of reopened passes. */
  long resumedByName() {
    return resumedByName;
  }

  long begunAgain() {
    return begunAgain;
  }

  /** A reader was killed or expelled, and takes nothing more. */
  void dies(long client) {
    if (clients.containsKey(client)) {
      client(client).dead = true;
    }
  }

  /** A reader leaves voluntarily; its last report may be lost. */
  void leaves(long client) {
    if (clients.containsKey(client)) {
      client(client).left = true;
    }
  }

  /** Workers announce the deliveries of an iteration that is read at most once. */
  void isAnnounced(long iteration) {
    mayBeLost.computeIfAbsent(iteration, _ -> new RecordSet());
  }

  /** A worker announces records before it delivers them: a loss may cost these. */
  void announced(long iteration, RecordSet records) {
    mayBeLost.computeIfAbsent(iteration, _ -> new RecordSet()).addAll(records);
  }

  /** A stock worker takes a split, which is lost with it, or with the answer to it. */
  void takenByStock(long iteration, long source, long split) {
    takenByStock
        .computeIfAbsent(iteration, _ -> new HashMap<>())
        .computeIfAbsent(source, _ -> new LongSet())
        .add(split);
  }

  /** A reader has received an element. */
  void fetched(long client, RecordSet element) {
    client(client).fetched.addAll(element);
    if (client(client).asked) {
      client(client).answered.addAll(element);
    }
  }

  void reported(long client, RecordSet taken) {
    client(client).reported.addAll(taken);
  }

  /**
   * A reader has answered a settlement of all splits; records it receives until another one are its
   * own too.
   */
  void answeredForAll(long client, RecordSet received) {
    client(client).asked = true;
    client(client).answered = received.copy();
  }

  /** The records that a reader has taken. The caller must not modify the set. */
  RecordSet takenBy(long client) {
    return client(client).taken;
  }

  /** The number of readers that stopped without an answer, and got one in time. */
  long answeredInTime() {
    return answeredInTime;
  }

  void isAnsweredInTime() {
    answeredInTime++;
  }

  void took(long client, RecordSet element) {
    if (client(client).replaced) {
      return; // its user has gone back to an earlier token
    }
    Pass pass =
        passes.values().stream()
            .filter(of -> of.clients.contains(client))
            .findFirst()
            .orElseThrow();
    simulation.require(
        !mayBeShared(pass, client) || !simulation.ledger().wasExpelled(client),
        "client %d takes %s, and was declared lost",
        client,
        element);
    for (long other : pass.clients) {
      if (!client(other).replaced
          && pass.guarantee != Guarantee.AT_LEAST_ONCE
          && overlap(client(other).taken, element)) {
        boolean allowed =
            pass.guarantee == Guarantee.EXACTLY_ONCE
                && other != client
                && mayHaveBeenGone(pass, other)
                && !client(other).hasTold(element);
        simulation.require(
            allowed, "client %d takes %s, which client %d has taken", client, element, other);
      }
    }
    client(client).taken.addAll(element);
  }

  /**
   * Checks at the end that no record is missing of passes read to the end exactly or at least once,
   * and of those read at most once none that was neither announced nor given to a stock worker.
   */
  void judge() {
    passes.forEach((iteration, pass) -> {
      boolean whole =
          simulation.ledger().wasFinished(iteration)
              && !simulation.ledger().wasCollected(iteration)
              && pass.own.stream().anyMatch(id -> client(id).inTime && !isGone(id));
      boolean counts = pass.guarantee != Guarantee.AT_MOST_ONCE || mayBeLost.containsKey(iteration);
      if (whole && counts) {
        judged.merge(pass.guarantee, 1L, Long::sum);
        judge(iteration, pass);
      }
    });
  }

  private void judge(long iteration, Pass pass) {
    RecordSet had = new RecordSet();
    if (pass.resumed) {
      resumed++;
    }
    for (long id : pass.clients) {
      Client client = client(id);
      if (client.replaced && hasComeBack(pass, client.life)) {
        continue; // its token counts, and what its successor took
      }
      had.addAll(client.taken);
      if (isGone(id)) {
        had.addAll(pass.guarantee == Guarantee.EXACTLY_ONCE ? client.answered : client.fetched);
      }
    }
    RecordSet all = pass.sources.all();
    if (pass.guarantee == Guarantee.AT_MOST_ONCE) {
      had.addAll(Objects.requireNonNull(mayBeLost.get(iteration)));
      had.addAll(all.within(takenByStock.getOrDefault(iteration, Map.of())));
    }
    RecordSet both = had.copy();
    both.addAll(all);
    simulation.require(
        had.equals(all) && both.equals(all),
        "of iteration %d were taken %s, of %s",
        iteration,
        had,
        all);
  }

  /** Whether a reader that resumed from a token lived long enough to join with it. */
  private boolean hasComeBack(Pass pass, ReaderLineage.Life life) {
    return pass.clients.stream()
        .map(this::client)
        .anyMatch(of -> !of.replaced && lineage.isOf(of.life, life));
  }

  /**
   * Whether records that a client took after its last report may have been made again before its
   * successor joined.
   */
  private boolean mayHaveBeenGone(Pass pass, long client) {
    return isGone(client)
        || client(client).left
        || pass.clients.stream()
            .map(this::client)
            .anyMatch(of -> of.replaced && lineage.isOf(client(client).life, of.life));
  }

  /** Whether a reader's records go to other readers once it is declared lost. */
  private boolean mayBeShared(Pass pass, long client) {
    return pass.guarantee == Guarantee.EXACTLY_ONCE && !client(client).who.job.isEmpty();
  }

  private boolean isGone(long client) {
    return client(client).dead || simulation.ledger().wasExpelled(client);
  }

  private Client client(long id) {
    return Objects.requireNonNull(clients.get(id));
  }

  private static boolean overlap(RecordSet one, RecordSet other) {
    for (long source : other.sources()) {
      for (long group : other.groups(source)) {
        LongSet records = other.records(source, group);
        boolean complete = group >= 0 && one.isComplete(source, group);
        if (!records.isEmpty()
            && (complete || !records.and(one.records(source, group)).isEmpty())) {
          return true;
        }
      }
    }
    return false;
  }
}
