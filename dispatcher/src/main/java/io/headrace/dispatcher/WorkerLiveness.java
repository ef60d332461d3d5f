package io.headrace.dispatcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which workers answer: a part of {@link SoftState}. A worker is lost when it has refused three
 * questions in a row, or been silent for ten seconds, and alive again when it answers.
 */
final class WorkerLiveness {
  static final int REFUSALS = 3;
  static final Duration SILENCE = Duration.ofSeconds(10);

  private final Map<String, Vitals> byAddress = new HashMap<>();
  private long lastTickNanos;
  private boolean ticked;

  private static final class Vitals {
    private int refusals;
    private long silentNanos;
    private boolean asked;
    private boolean lost;
  }

  /** Forgets all but the workers at {@code addresses}; those that are new are taken to be alive. */
  void reconcile(Set<String> addresses) {
    byAddress.keySet().retainAll(addresses);
    addresses.forEach(address -> byAddress.computeIfAbsent(address, _ -> new Vitals()));
  }

  /** False for workers that are not known, too. */
  boolean isLost(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals != null && vitals.lost;
  }

  boolean isAlive(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals != null && !vitals.lost;
  }

  /** How long the worker has been silent. */
  Duration silence(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    return vitals == null ? Duration.ZERO : Duration.ofNanos(vitals.silentNanos);
  }

  /** The worker answered. Gives whether it was lost before. */
  boolean answered(String address) {
    Vitals vitals = byAddress.computeIfAbsent(address, _ -> new Vitals());
    boolean wasLost = vitals.lost;
    vitals.refusals = 0;
    vitals.silentNanos = 0;
    vitals.asked = false;
    vitals.lost = false;
    return wasLost;
  }

  /** The worker said something unasked: that ends a silence, but takes back no refusal. */
  void heard(String address) {
    @Nullable Vitals vitals = byAddress.get(address);
    if (vitals != null && !vitals.lost) {
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
    return !vitals.lost && vitals.refusals >= REFUSALS && lose(vitals);
  }

  /**
   * Time went on. Gives the workers that have been silent for too long by now. A step of more than
   * {@code maxStep} counts as that much: it was this process that slept, not they that were silent.
   */
  List<String> tick(long nowNanos, Duration maxStep) {
    long step = ticked ? Math.min(nowNanos - lastTickNanos, maxStep.toNanos()) : 0;
    lastTickNanos = nowNanos;
    ticked = true;
    List<String> lost = new ArrayList<>();
    byAddress.forEach((address, vitals) -> {
      vitals.silentNanos += step;
      if (!vitals.lost && vitals.silentNanos >= SILENCE.toNanos() && lose(vitals)) {
        lost.add(address);
      }
    });
    return lost;
  }

  /** The workers that no question is open to; each is taken to be asked now. */
  List<String> ask() {
    List<String> addresses = new ArrayList<>();
    byAddress.forEach((address, vitals) -> {
      if (!vitals.asked) {
        vitals.asked = true;
        addresses.add(address);
      }
    });
    return addresses;
  }

  List<String> lost() {
    return byAddress.entrySet().stream()
        .filter(entry -> entry.getValue().lost)
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  void forget(String address) {
    byAddress.remove(address);
  }

  private static boolean lose(Vitals vitals) {
    vitals.lost = true;
    return true;
  }
}
