package io.headrace.dispatcher;

import io.headrace.proto.headrace.Guarantee;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Says of each pass with dynamic sharding of a {@link Simulation} whether its records were taken as
 * often as they must be.
 *
 * <p>At least once means: what was fetched by the readers, whether they have died since or not, is
 * everything.
 *
 * <p>Exactly once means: once by all readers together. Of a reader that died, what it took after
 * its last report may be taken again by another; and what it held when it died is lost if it was
 * alone, or if it had been asked already, before the end, what it holds.
 */
final class SimulatedJudge {
  private final Simulation simulation;
  private final Map<Long, Client> clients = new HashMap<>();
  private final Map<Long, Pass> passes = new HashMap<>();
  private final SimulatedLineage lineage = new SimulatedLineage();
  private final Map<Guarantee, Long> judged = new EnumMap<>(Guarantee.class);

  private long resumed;
  private long resumedByName;
  private long begunAgain;
  private long answeredInTime;

  private static final class Client {
    private final RecordSet fetched = new RecordSet();
    private final RecordSet taken = new RecordSet();
    private final RecordSet reported = new RecordSet();
    private final RecordSet answered = new RecordSet();
    private final RecordSet token = new RecordSet();
    private final List<Client> goneBefore = new ArrayList<>();
    private final boolean inTime;
    private final Who who;
    private boolean asked;
    private boolean dead;
    private boolean left;
    private boolean replaced;

    Client(boolean inTime, Who who) {
      this.inTime = inTime;
      this.who = who;
    }

    /** Whether the dispatcher was told that it has taken some of an element. */
    boolean hasTold(RecordSet element) {
      boolean inToken = overlap(token, element);
      return overlap(reported, element)
          || (inToken && goneBefore.isEmpty())
          || (inToken && goneBefore.stream().anyMatch(client -> client.hasTold(element)));
    }
  }

  /** Who a client is: one reader may be several, one after the other, in each pass. */
  record Who(long reader, String job, long repetition) {}

  private static final class Pass {
    private final SimulatedSources sources;
    private final Guarantee guarantee;
    private final Set<Long> clients = new HashSet<>();
    private boolean resumed;

    Pass(SimulatedSources sources, Guarantee guarantee) {
      this.sources = sources;
      this.guarantee = guarantee;
    }
  }

  SimulatedJudge(Simulation simulation) {
    this.simulation = simulation;
  }

  /** How many passes went on from a token, and were read to the end. */
  long resumed() {
    return resumed;
  }

  /** How many passes had this guarantee, and were read to the end. */
  long judged(Guarantee guarantee) {
    return judged.getOrDefault(guarantee, 0L);
  }

  /** A reader has a place in an iteration, and has taken before what {@code token} has. */
  void joins(
      long iteration,
      long client,
      SimulatedSources sources,
      Guarantee guarantee,
      Who who,
      RecordSet token) {
    Client joined = new Client(!simulation.ledger().wasFinished(iteration), who);
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
    joined.taken.addAll(token);
    joined.token.addAll(token);
    joined.goneBefore.addAll(goneBefore(pass, who));
    pass.resumed |= !token.isEmpty();
    if (!who.job.isEmpty() && !token.isEmpty()) {
      resumedByName++;
    }
  }

  /**
   * The last clients of the readers whose place a reader takes, if one of them was gone: what of
   * its token they had not reported may have been made again before the reader came.
   */
  private List<Client> goneBefore(Pass pass, Who who) {
    Map<Long, Long> last = new HashMap<>();
    for (long id : pass.clients) {
      Client client = client(id);
      if (client.replaced && lineage.isOf(who.reader, client.who.reader)) {
        last.merge(client.who.reader, id, Math::max);
      }
    }
    boolean wasGone =
        last.values().stream()
            .anyMatch(id -> simulation.ledger().wasExpelled(id) || client(id).left);
    return wasGone ? last.values().stream().map(this::client).toList() : List.of();
  }

  /** A pass that was read to its end may be read again: what its readers took counts. */
  private Pass begun(SimulatedSources sources, Guarantee guarantee, Who who) {
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

  /** A reader goes on from a token: what those took since that it tells of counts no more. */
  void goesOn(long reader, SimulatedToken token) {
    token
        .passes()
        .forEach((repetition, pass) ->
            pass.readers().forEach(before -> goesOn(reader, before, repetition)));
  }

  private void goesOn(long reader, long before, long repetition) {
    lineage.follows(reader, before);
    for (Client client : clients.values()) {
      if (client.who.reader == before && client.who.repetition >= repetition) {
        replace(client);
      }
    }
  }

  /** A reader goes on from a token that is older than {@code before}, whose work is undone. */
  void isFollowed(long before, long reader, SimulatedToken token) {
    boolean isLater =
        token.readers().stream().anyMatch(of -> of != before && lineage.isOf(before, of));
    if (isLater && !token.readers().contains(before) && before != reader) {
      goesOn(reader, before, 0);
    }
  }

  private static void replace(Client client) {
    client.replaced = true;
    client.dead = true;
  }

  /** Whether {@code readers} go on in a client's place; true if its reply is on its way. */
  boolean isOneOf(long client, Set<Long> readers) {
    return clients.containsKey(client)
        ? readers.stream().anyMatch(reader -> lineage.isOf(reader, client(client).who.reader))
        : !readers.isEmpty();
  }

  /** How often a reader went on in a job by its name, and how often in what had been finished. */
  long resumedByName() {
    return resumedByName;
  }

  long begunAgain() {
    return begunAgain;
  }

  /** A reader was killed, or expelled: it takes nothing more. */
  void dies(long client) {
    if (clients.containsKey(client)) {
      client(client).dead = true;
    }
  }

  /** A reader leaves of its own accord; its last report may not arrive. */
  void leaves(long client) {
    if (clients.containsKey(client)) {
      client(client).left = true;
    }
  }

  /** An element has come to a reader. */
  void fetched(long client, RecordSet element) {
    client(client).fetched.addAll(element);
    if (client(client).asked) {
      client(client).answered.addAll(element);
    }
  }

  void reported(long client, RecordSet taken) {
    client(client).reported.addAll(taken);
  }

  /** A reader has answered what it holds of everything; what comes now is its own, too. */
  void answeredForAll(long client, RecordSet received) {
    client(client).asked = true;
    client(client).answered.addAll(received);
  }

  /** What a reader has taken; not to be changed. */
  RecordSet takenBy(long client) {
    return client(client).taken;
  }

  /** How often a reader had stopped for want of an answer, and was answered in time. */
  long answeredInTime() {
    return answeredInTime;
  }

  void isAnsweredInTime() {
    answeredInTime++;
  }

  void took(long client, RecordSet element) {
    if (client(client).replaced) {
      return; // its user has gone back to before it
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

  /** All is over: nothing may be missing of what was read to its end exactly or at least once. */
  void judge() {
    passes.forEach((iteration, pass) -> {
      boolean whole =
          simulation.ledger().wasFinished(iteration)
              && !simulation.ledger().wasCollected(iteration)
              && pass.clients.stream().anyMatch(id -> client(id).inTime && !isGone(id));
      if (pass.guarantee != Guarantee.AT_MOST_ONCE && whole) {
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
      if (client.replaced && hasComeBack(pass, client.who)) {
        continue; // what counts is its token, and what it took from then on
      }
      had.addAll(client.taken);
      if (isGone(id)) {
        had.addAll(pass.guarantee == Guarantee.EXACTLY_ONCE ? client.answered : client.fetched);
      }
    }
    RecordSet all = pass.sources.all();
    RecordSet both = had.copy();
    both.addAll(all);
    simulation.require(
        had.equals(all) && both.equals(all),
        "of iteration %d were taken %s, of %s",
        iteration,
        had,
        all);
  }

  /** Whether a reader that went back to a token was alive for long enough to come with it. */
  private boolean hasComeBack(Pass pass, Who who) {
    return pass.clients.stream()
        .map(this::client)
        .anyMatch(of -> !of.replaced && lineage.isOf(of.who.reader, who.reader));
  }

  /** What a reader took after its last report may be made again before it comes with its token. */
  private boolean mayHaveBeenGone(Pass pass, long client) {
    return isGone(client)
        || client(client).left
        || pass.clients.stream()
            .map(this::client)
            .anyMatch(of -> of.replaced && lineage.isOf(client(client).who.reader, of.who.reader));
  }

  /** Whether others are given what a reader is, once it is declared lost. */
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
