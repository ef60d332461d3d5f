package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.runtime.device.DeviceSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The devices that a session may use, those of its master's task first. Immutable. */
public final class DeviceSet {
  /**
   * A device of the cluster.
   *
   * @param spec its full name
   * @param attributes what its task says of it
   * @param isLocal whether it is one of the master's task
   */
  public record ClusterDevice(DeviceSpec spec, DeviceAttributes attributes, boolean isLocal) {
    public String name() {
      return attributes.getName();
    }

    String type() {
      return attributes.getDeviceType();
    }
  }

  private final List<ClusterDevice> devices;

  public DeviceSet(List<ClusterDevice> devices) {
    List<ClusterDevice> sorted = new ArrayList<>(devices);
    sorted.sort(
        Comparator.comparing((ClusterDevice d) -> !d.isLocal()).thenComparing(ClusterDevice::name));
    this.devices = List.copyOf(sorted);
  }

  /** The devices of {@code task}, called as it is, whatever it calls them. */
  public static List<ClusterDevice> of(
      DeviceSpec task, List<DeviceAttributes> attributes, boolean isLocal) {
    List<ClusterDevice> devices = new ArrayList<>();
    for (DeviceAttributes device : attributes) {
      DeviceSpec spec = DeviceSpec.parse(device.getName()).at(task);
      devices.add(
          new ClusterDevice(spec, device.toBuilder().setName(spec.toString()).build(), isLocal));
    }
    return devices;
  }

  /** Those that some filter admits, or all if there are none; and those of the master's task. */
  public DeviceSet filtered(List<String> filters) {
    List<DeviceSpec> admitted = filters.stream().map(DeviceSpec::parse).toList();
    return new DeviceSet(
        devices.stream()
            .filter(device ->
                admitted.isEmpty()
                    || device.isLocal()
                    || admitted.stream().anyMatch(device.spec()::isCompatibleWith))
            .toList());
  }

  public List<ClusterDevice> all() {
    return devices;
  }

  /** The one that feeds come in through. */
  public ClusterDevice client() {
    return devices.getFirst();
  }

  /** Those that {@code spec} can mean, best first. */
  List<ClusterDevice> matching(DeviceSpec spec) {
    return devices.stream().filter(d -> d.spec().isCompatibleWith(spec)).toList();
  }

  ClusterDevice named(String name) {
    return devices.stream()
        .filter(d -> d.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no device is called " + name));
  }

  /** Their names, sorted, for messages. */
  List<String> names() {
    return devices.stream().map(ClusterDevice::name).sorted().toList();
  }
}
