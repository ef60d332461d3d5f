package io.headrace.dispatcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which workers answer: a part of {@link SoftState}. A worker is lost when it has refused three
 * questions in a row, or been silent for ten seconds, and alive again when it answers.
 */
final class WorkerLiveness {
  static final int REFUSALS = 3;
  static final Duration SILENCE = Duration.ofSeconds(10);

  private final Map<String, Vitals> byAddress = new HashMap<>();
  private final NavigableSet<String> alive = new TreeSet<>();
  private final SortedSet<String> lost = new TreeSet<>();
  private long lastTickNanos;
  private boolean ticked;

  private static final class Vitals {
    private int refusals;
    private long silentNanos;
    private boolean asked;
    private long lastQuestion;
  }

  /**
   * A question to a worker.
   *
   * @param address who is asked
   * @param number later questions to it have greater ones
   */
  record Question(String address, long number) {}

  /**
   * Forgets all but the workers at {@code addresses}; those that are new are taken to be alive. All
   * can be asked: whoever was to ask them may not have come to it.
   */
  void beginAnew(Set<String> addresses) {
    byAddress.keySet().retainAll(addresses);
    alive.retainAll(addresses);
    lost.retainAll(addresses);
    addresses.forEach(this::registered);
    byAddress.values().forEach(vitals -> vitals.asked = false);
  }

  /** A worker is there, and taken to be alive if it was not known. */
  void registered(String address) {
    if (byAddress.putIfAbsent(address, new Vitals()) == null) {
      alive.add(address);
    }
  }

  /** False for workers that are not known, too. */
  boolean isLost(String address) {
    return lost.contains(address);
  }

  boolean isAlive(String address) {
    return alive.contains(address);
  }

  /** The workers that are alive, in their order, from behind {@code address} on and around. */
  Stream<String> aliveAfter(String address) {
    return Stream.concat(
        alive.tailSet(address, false).stream(), alive.headSet(address, true).stream());
  }

  /** How long the worker has been silent. */
  Duration silence(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals == null ? Duration.ZERO : Duration.ofNanos(vitals.silentNanos);
  }

  /** The worker answered. Gives whether it was lost before. */
  boolean answered(String address) {
    Vitals vitals = byAddress.computeIfAbsent(address, _ -> new Vitals());
    vitals.refusals = 0;
    vitals.silentNanos = 0;
    vitals.asked = false;
    alive.add(address);
    return lost.remove(address);
  }

  /** The worker said something unasked: that ends a silence, but takes back no refusal. */
  void heard(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals != null && !lost.contains(address)) {
      vitals.silentNanos = 0;
    }
  }

  /** A question was refused, or was not answered in time. Gives whether the worker is lost now. */
  boolean unanswered(String address, boolean refused) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals == null) {
      return false;
    }
    vitals.asked = false;
    vitals.refusals += refused ? 1 : 0;
    return vitals.refusals >= REFUSALS && lose(address);
  }

  /** Gives whether it was alive. */
  private boolean lose(String address) {
    alive.remove(address);
    return lost.add(address);
  }

  /** Time went on. Gives the workers that have been silent for too long by now. */
  List<String> tick(long nowNanos) {
    long step = ticked ? nowNanos - lastTickNanos : 0;
    lastTickNanos = nowNanos;
    ticked = true;
    List<String> lostNow = new ArrayList<>();
    byAddress.forEach((address, vitals) -> {
      vitals.silentNanos += step;
      if (vitals.silentNanos >= SILENCE.toNanos() && lose(address)) {
        lostNow.add(address);
      }
    });
    return lostNow;
  }

  /** The workers that no question is open to; each is taken to be asked now. */
  List<Question> ask() {
    List<Question> questions = new ArrayList<>();
    byAddress.forEach((address, vitals) -> {
      if (!vitals.asked) {
        vitals.asked = true;
        questions.add(new Question(address, ++vitals.lastQuestion));
      }
    });
    return questions;
  }

  /** The number of the last question to a worker; 0 if there was none. */
  long lastQuestion(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals == null ? 0 : vitals.lastQuestion;
  }

  /** The workers that are lost, in the order of their addresses. */
  Collection<String> lost() {
    return Collections.unmodifiableCollection(lost);
  }

  void forget(String address) {
    byAddress.remove(address);
    alive.remove(address);
    lost.remove(address);
  }
}
