package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.runtime.device.DeviceSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The devices that a session may use; those of its master's task come first. Immutable. */
public final class DeviceSet {
  /**
   * A device of the cluster.
   *
   * @param spec the full device name
   * @param attributes the attributes that its task reports
   * @param isLocal whether it belongs to the master's task
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

  /**
   * The devices of {@code task}, renamed to the job and index that {@code task} has in the cluster.
   */
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

  /**
   * The devices that a filter admits, and those of the master's task; all devices if there are no
   * filters.
   */
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

  /** The device through which feeds and fetches pass. */
  public ClusterDevice client() {
    return devices.getFirst();
  }

  /** The devices that {@code spec} matches, best first. */
  List<ClusterDevice> matching(DeviceSpec spec) {
    return devices.stream().filter(d -> d.spec().isCompatibleWith(spec)).toList();
  }

  ClusterDevice named(String name) {
    return devices.stream()
        .filter(d -> d.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no device is called " + name));
  }

  /** The device names, sorted, for messages. */
  List<String> names() {
    return devices.stream().map(ClusterDevice::name).sorted().toList();
  }
}
