package io.headrace.gpu.cuda;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A device as the driver describes it.
 *
 * @param ordinal its number among the devices that this process may use
 * @param totalBytes the size of its memory
 * @param pciBusId its PCI address
 * @param multiprocessors how many of them it has
 */
public record CudaDevice(
    int ordinal,
    String name,
    long totalBytes,
    String pciBusId,
    int capabilityMajor,
    int capabilityMinor,
    int multiprocessors) {
  /** The least compute capability: the target sm_70 of the PTX that Headrace makes. */
  private static final int MIN_CAPABILITY_MAJOR = 7;

  /** The devices of {@code driver}, in its order. */
  public static List<CudaDevice> list(CudaDriver driver) {
    return IntStream.range(0, driver.deviceGetCount())
        .mapToObj(ordinal -> describe(driver, ordinal))
        .toList();
  }

  private static CudaDevice describe(CudaDriver driver, int ordinal) {
    int device = driver.deviceGet(ordinal);
    return new CudaDevice(
        ordinal,
        driver.deviceGetName(device),
        driver.deviceTotalMem(device),
        driver.deviceGetPciBusId(device).toLowerCase(Locale.ROOT),
        driver.deviceGetAttribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR, device),
        driver.deviceGetAttribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR, device),
        driver.deviceGetAttribute(DeviceAttribute.MULTIPROCESSOR_COUNT, device));
  }

  /** Whether the device runs the PTX that Headrace makes. */
  public boolean isSupported() {
    return capabilityMajor >= MIN_CAPABILITY_MAJOR;
  }

  /** The device in the words of TensorFlow's {@code physical_device_desc}. */
  public String physicalDescription() {
    return "device: %d, name: %s, pci bus id: %s, compute capability: %d.%d"
        .formatted(ordinal, name, pciBusId, capabilityMajor, capabilityMinor);
  }
}
