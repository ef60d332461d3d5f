package io.headrace.dispatcher.state;

import java.util.HashMap;
import java.util.Map;

/** Which workers make remainders at the moment: a part of {@link Iterations}. */
public final class RemainderTasks {
  private final Map<String, Integer> numberOn = new HashMap<>();
  private String lastAddress = "";

  /** How many the worker at {@code address} makes. */
  public int numberOn(String address) {
    return numberOn.getOrDefault(address, 0);
  }

  /** The worker that was given one last; empty if none was. */
  public String lastAddress() {
    return lastAddress;
  }

  void began(String address) {
    numberOn.merge(address, 1, Integer::sum);
    lastAddress = address;
  }

  void ended(String address) {
    numberOn.computeIfPresent(address, (_, number) -> number == 1 ? null : number - 1);
  }
}
