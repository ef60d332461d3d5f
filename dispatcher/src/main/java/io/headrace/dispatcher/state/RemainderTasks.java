package io.headrace.dispatcher.state;

import java.util.HashMap;
import java.util.Map;

/** The number of remainders that each worker is making: a part of {@link Iterations}. */
public final class RemainderTasks {
  private final Map<String, Integer> numberOn = new HashMap<>();
  private String lastAddress = "";

  /** The number of remainders that the worker at {@code address} is making. */
  public int numberOn(String address) {
    return numberOn.getOrDefault(address, 0);
  }

  /** The worker that was last given a remainder; empty if none was. */
  public String lastAddress() {
    return lastAddress;
  }

  void started(String address) {
    numberOn.merge(address, 1, Integer::sum);
    lastAddress = address;
  }

  void ended(String address) {
    numberOn.computeIfPresent(address, (_, number) -> number == 1 ? null : number - 1);
  }
}
