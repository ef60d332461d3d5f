package io.headrace.cluster.worker;

import io.headrace.cluster.peer.RendezvousKey;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.execute.Accelerator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The devices of a server: CPUs, the first of which is the default device, and accelerators, which
 * it owns.
 */
public final class LocalDevices {
  private final List<LocalDevice> devices;
  private final List<Accelerator> accelerators;
  private final List<String> keyPrefixes;

  private LocalDevices(List<LocalDevice> devices, List<Accelerator> accelerators) {
    this.devices = List.copyOf(devices);
    this.accelerators = List.copyOf(accelerators);
    this.keyPrefixes =
        devices.stream()
            .map(d -> RendezvousKey.senderOf(d.device().name(), d.incarnation()))
            .toList();
  }

  /**
   * Creates as many CPUs as the device count of {@code config}, by default one.
   *
   * @param accelerators the other devices, numbered by type, which it closes
   */
  public static LocalDevices create(
      DeviceSpec task, ConfigProto config, LongSupplier random, List<Accelerator> accelerators) {
    int cpus = Math.max(1, config.getDeviceCountOrDefault(Device.CPU, 1));
    List<LocalDevice> devices = new ArrayList<>();
    for (int i = 0; i < cpus; i++) {
      Resources resources = new Resources(task.job().orElse(""));
      devices.add(LocalDevice.cpu(task + "/device:CPU:" + i, nonZero(random), resources));
    }
    Map<String, Integer> numbers = new HashMap<>();
    for (Accelerator accelerator : accelerators) {
      int number = numbers.merge(accelerator.type(), 1, Integer::sum) - 1;
      String name = "%s/device:%s:%d".formatted(task, accelerator.type(), number);
      Resources resources = new Resources(task.job().orElse(""));
      devices.add(LocalDevice.of(accelerator, name, nonZero(random), resources));
    }
    return new LocalDevices(devices, accelerators);
  }

  private static long nonZero(LongSupplier random) {
    long number = random.getAsLong();
    return number == 0 ? 1 : number;
  }

  public List<LocalDevice> all() {
    return devices;
  }

  /** The device through which feeds and fetches pass. */
  public LocalDevice first() {
    return devices.getFirst();
  }

  @Nullable LocalDevice find(String name) {
    for (LocalDevice device : devices) {
      if (device.device().name().equals(name)) {
        return device;
      }
    }
    return null;
  }

  /** Whether {@code key} names one of these devices, in its current incarnation, as the sender. */
  boolean areSendersOf(String key) {
    return keyPrefixes.stream().anyMatch(key::startsWith);
  }

  List<DeviceAttributes> attributes() {
    return devices.stream().map(LocalDevice::attributes).toList();
  }

  /** Clears {@code containers}; the default containers if the list is empty. */
  void clear(List<String> containers) {
    for (LocalDevice device : devices) {
      for (String container : containers.isEmpty() ? List.of("") : containers) {
        device.resources().clear(container);
      }
    }
  }

  /**
   * Frees resources and accelerators; waits for the work of these for a bounded time.
   *
   * @throws io.headrace.runtime.status.StatusException if an accelerator can't be closed
   */
  public void close() {
    devices.forEach(device -> device.resources().close());
    Accelerator.closeAll(accelerators);
  }
}
