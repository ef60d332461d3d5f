package io.headrace.dispatcher;

import io.headrace.proto.headrace.Guarantee;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
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
  private final Map<Guarantee, Long> judged = new EnumMap<>(Guarantee.class);

  private long resumed;

  private static final class Client {
    private final RecordSet fetched = new RecordSet();
    private final RecordSet taken = new RecordSet();
    private final RecordSet reported = new RecordSet();
    private final RecordSet answered = new RecordSet();
    private final boolean inTime;
    private boolean dead;

    Client(boolean inTime) {
      this.inTime = inTime;
    }
  }

  private static final class Pass {
    private final SimulatedSources sources;
    private final Guarantee guarantee;
    private final RecordSet token;
    private final Set<Long> clients = new HashSet<>();

    Pass(SimulatedSources sources, Guarantee guarantee, RecordSet token) {
      this.sources = sources;
      this.guarantee = guarantee;
      this.token = token;
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

  /** A reader has a place in an iteration, which began with what {@code token} has. */
  void joins(
      long iteration, long client, SimulatedSources sources, Guarantee guarantee, RecordSet token) {
    clients.put(client, new Client(!simulation.ledger().wasFinished(iteration)));
    passes.computeIfAbsent(iteration, _ -> new Pass(sources, guarantee, token)).clients.add(client);
  }

  /** A reader was killed, or expelled: it takes nothing more. */
  void dies(long client) {
    if (clients.containsKey(client)) {
      client(client).dead = true;
    }
  }

  /** An element has come to a reader. */
  void fetched(long client, RecordSet element) {
    client(client).fetched.addAll(element);
  }

  void reported(long client, RecordSet taken) {
    client(client).reported.addAll(taken);
  }

  /** A reader has answered what it holds of everything. */
  void answeredForAll(long client, RecordSet received) {
    client(client).answered.addAll(received);
  }

  /** What a reader has taken; not to be changed. */
  RecordSet takenBy(long client) {
    return client(client).taken;
  }

  void took(long client, RecordSet element) {
    Pass pass =
        passes.values().stream()
            .filter(of -> of.clients.contains(client))
            .findFirst()
            .orElseThrow();
    simulation.require(
        !overlap(pass.token, element), "client %d takes %s, which its token has", client, element);
    for (long other : pass.clients) {
      if (pass.guarantee != Guarantee.AT_LEAST_ONCE && overlap(client(other).taken, element)) {
        boolean allowed =
            pass.guarantee == Guarantee.EXACTLY_ONCE
                && other != client
                && ((isGone(other) && !overlap(client(other).reported, element))
                    || simulation.ledger().wasExpelled(client));
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
    RecordSet had = pass.token.copy();
    if (!had.isEmpty()) {
      resumed++;
    }
    for (long id : pass.clients) {
      Client client = client(id);
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
