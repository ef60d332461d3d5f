package io.headrace.cluster.peer;

import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusException;
import java.util.Locale;

/**
 * The key of a tensor in transit: {@code
 * send_device;incarnation;recv_device;tensor_name;frame:iteration}.
 *
 * @param sendDevice the full name of the sending device
 * @param incarnation the incarnation of that device
 */
public record RendezvousKey(String sendDevice, long incarnation) {
  private static final int PARTS = 5;
  private static final int INCARNATION_DIGITS = 16;

  /** The key of a tensor outside of loops. */
  public static String of(
      String sendDevice, long incarnation, String recvDevice, String tensorName) {
    return senderOf(sendDevice, incarnation) + recvDevice + ";" + tensorName + ";0:0";
  }

  /** The common prefix of the keys of all tensors that a device sends. */
  public static String senderOf(String sendDevice, long incarnation) {
    return String.format(Locale.ROOT, "%s;%016x;", sendDevice, incarnation);
  }

  /** INVALID_ARGUMENT unless {@code key} has the five parts of a key. */
  public static void check(String key) {
    if (key.chars().filter(c -> c == ';').count() != PARTS - 1) {
      throw invalid(key);
    }
  }

  private static StatusException invalid(String key) {
    return StatusException.invalidArgument("Invalid  rendezvous key: %s", key);
  }

  public static RendezvousKey parse(String key) {
    check(key);
    String[] parts = key.split(";", -1);
    if (parts[1].length() != INCARNATION_DIGITS
        || !parts[1].chars().allMatch(c -> Character.digit(c, 16) >= 0)
        || !isFullName(parts[0])) {
      throw invalid(key);
    }
    return new RendezvousKey(parts[0], Long.parseUnsignedLong(parts[1], 16));
  }

  private static boolean isFullName(String device) {
    try {
      return DeviceSpec.parse(device).isFull();
    } catch (StatusException e) {
      return false;
    }
  }

  /** The sending task. */
  public DeviceSpec sendTask() {
    return DeviceSpec.parse(sendDevice).taskOnly();
  }
}
