package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The options of TensorFlow's {@code GPUOptions} that say which devices a process uses, and how
 * much of their memory; {@link #under} lets the environment's variables change them, as TensorFlow
 * does. The environment's CUDA_VISIBLE_DEVICES is the driver's, and applies before. Beside them,
 * where a library of NVIDIA's is looked for.
 *
 * @param visibleDeviceList ordinals with commas between them, in the order in which they are to be
 *     numbered; all devices if empty
 * @param perProcessGpuMemoryFraction the part of a device's memory that the process may take, at
 *     most 1; 0 for what is free when the device is opened, less a reserve
 * @param allowGrowth whether memory is taken as it is needed; all of it at the start otherwise
 * @param reservedMib the MiB of a device's free memory that the process leaves to others, in place
 *     of the fraction and of the default reserve; more than is free counts as none
 * @param cublas the libraries of which the first that works makes products of matrices
 */
public record GpuOptions(
    String visibleDeviceList,
    double perProcessGpuMemoryFraction,
    boolean allowGrowth,
    OptionalLong reservedMib,
    CublasLibraries cublas) {
  /** All devices, all their memory at the start, as TensorFlow's default, and no cuBLAS. */
  public static final GpuOptions DEFAULT =
      new GpuOptions("", 0, false, OptionalLong.empty(), CublasLibraries.NONE);

  private static final Logger LOGGER = System.getLogger(GpuOptions.class.getName());

  private static final long MIB = 1 << 20;

  private static final Pattern WHOLE_NUMBER = Pattern.compile("\\s*\\d{1,18}\\s*");

  private static final String ALLOW_GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH";
  private static final String RESERVED = "TF_DEVICE_MIN_SYS_MEMORY_IN_MB";

  /**
   * Validates the fraction.
   *
   * @throws StatusException INVALID_ARGUMENT if it is negative, no number, or above 1
   */
  public GpuOptions {
    if (Double.isNaN(perProcessGpuMemoryFraction) || perProcessGpuMemoryFraction < 0) {
      throw StatusException.invalidArgument(
          "per_process_gpu_memory_fraction must be between 0 and 1: %s",
          perProcessGpuMemoryFraction);
    }
    if (perProcessGpuMemoryFraction > 1) {
      throw StatusException.invalidArgument(
          "per_process_gpu_memory_fraction %s is more than the device's memory: that needs unified"
              + " memory, which is not supported",
          perProcessGpuMemoryFraction);
    }
  }

  /** These options with another list. */
  public GpuOptions withVisibleDeviceList(String list) {
    return new GpuOptions(list, perProcessGpuMemoryFraction, allowGrowth, reservedMib, cublas);
  }

  /** These options with another fraction. */
  public GpuOptions withPerProcessGpuMemoryFraction(double fraction) {
    return new GpuOptions(visibleDeviceList, fraction, allowGrowth, reservedMib, cublas);
  }

  /** These options with or without growth. */
  public GpuOptions withAllowGrowth(boolean growth) {
    return new GpuOptions(
        visibleDeviceList, perProcessGpuMemoryFraction, growth, reservedMib, cublas);
  }

  /** These options with other libraries of cuBLAS. */
  public GpuOptions withCublas(CublasLibraries libraries) {
    return new GpuOptions(
        visibleDeviceList, perProcessGpuMemoryFraction, allowGrowth, reservedMib, libraries);
  }

  /**
   * These options as the variables of {@code environment} change them. TF_FORCE_GPU_ALLOW_GROWTH,
   * {@code true} or {@code false}, decides about growth; TF_DEVICE_MIN_SYS_MEMORY_IN_MB, a whole
   * number, is what stays reserved. A value that is no such word or number changes nothing, and is
   * logged.
   */
  public GpuOptions under(Map<String, String> environment) {
    return new GpuOptions(
        visibleDeviceList,
        perProcessGpuMemoryFraction,
        allowGrowth(environment.get(ALLOW_GROWTH)),
        reservedMib(environment.get(RESERVED)),
        cublas);
  }

  private boolean allowGrowth(@Nullable String forced) {
    return switch (forced) {
      case null -> allowGrowth;
      case "true" -> true;
      case "false" -> false;
      default -> {
        LOGGER.log(
            Level.WARNING,
            "the environment variable {0} is {1}, and must be true or false: allow_growth stays"
                + " {2}",
            ALLOW_GROWTH,
            forced,
            allowGrowth);
        yield allowGrowth;
      }
    };
  }

  private OptionalLong reservedMib(@Nullable String forced) {
    if (forced == null || forced.isEmpty()) {
      return reservedMib;
    }
    if (!WHOLE_NUMBER.matcher(forced).matches()) {
      LOGGER.log(
          Level.WARNING,
          "the environment variable {0} is {1}, and must be a number of MiB: it is ignored",
          RESERVED,
          forced);
      return reservedMib;
    }
    return OptionalLong.of(Long.parseLong(forced.strip()));
  }

  /**
   * The ordinals of the devices to use, of the {@code count} that the driver has.
   *
   * @throws StatusException INVALID_ARGUMENT that names a wrong entry of the list
   */
  public List<Integer> visibleDevices(int count) {
    if (visibleDeviceList.isEmpty()) {
      return IntStream.range(0, count).boxed().toList();
    }
    List<Integer> ordinals = new ArrayList<>();
    for (String entry : visibleDeviceList.split(",", -1)) {
      int ordinal = ordinal(entry, count);
      if (ordinals.contains(ordinal)) {
        throw StatusException.invalidArgument(
            "visible_device_list contained a duplicate entry: %s", visibleDeviceList);
      }
      ordinals.add(ordinal);
    }
    return List.copyOf(ordinals);
  }

  private int ordinal(String entry, int count) {
    int ordinal;
    try {
      ordinal = Integer.parseInt(entry.strip());
    } catch (NumberFormatException _) {
      throw StatusException.invalidArgument(
          "Could not parse entry in 'visible_device_list': '%s'. visible_device_list = %s",
          entry, visibleDeviceList);
    }
    if (ordinal < 0 || ordinal >= count) {
      throw StatusException.invalidArgument(
          "'visible_device_list' listed an invalid Device id '%d' but visible device count is %d",
          ordinal, count);
    }
    return ordinal;
  }

  /**
   * The bytes of a device that the process may take, by TensorFlow's rule. With {@link
   * #reservedMib} that is not more than is free, the rest. Otherwise with a fraction, that of all
   * the device's memory. Without, what is free less a reserve for the driver and libraries: 225 MiB
   * if less than 2 GiB are free, otherwise by the compute capability 500 MiB (up to 6), 1050 MiB
   * (7), 1536 MiB (8) or 1800 MiB (from 9). Where less than the reserve is free, all of it.
   *
   * @param capabilityMajor the device's compute capability
   */
  public long memoryLimit(long freeBytes, long totalBytes, int capabilityMajor) {
    if (reservedMib.isPresent()) {
      if (reservedMib.getAsLong() <= freeBytes / MIB) {
        return freeBytes - reservedMib.getAsLong() * MIB;
      }
      LOGGER.log(
          Level.WARNING,
          "{0} MiB are to be left free on a device that has {1} MiB free: that is ignored",
          reservedMib.getAsLong(),
          freeBytes / MIB);
    }
    if (perProcessGpuMemoryFraction > 0) {
      return (long) (totalBytes * perProcessGpuMemoryFraction);
    }
    long reserve = reserveBytes(freeBytes, capabilityMajor);
    return reserve < freeBytes ? freeBytes - reserve : freeBytes;
  }

  private static long reserveBytes(long freeBytes, int capabilityMajor) {
    if (freeBytes < 1L << 31) {
      return 225 * MIB;
    }
    return switch (capabilityMajor) {
      case 0, 1, 2, 3, 4, 5, 6 -> 500 * MIB;
      case 7 -> 1050 * MIB;
      case 8 -> 1536 * MIB;
      default -> 1800 * MIB;
    };
  }
}
