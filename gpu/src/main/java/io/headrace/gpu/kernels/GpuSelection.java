package io.headrace.gpu.kernels;

import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The GPUs that a process is told to use, as the flag {@code --devices} names them. Immutable.
 *
 * @param numbers the numbers of the GPUs, among those that {@code visible_device_list} and {@code
 *     device_count} leave; all if empty
 */
public record GpuSelection(List<Integer> numbers) {
  private static final String ALL = "gpu";
  private static final Pattern ONE = Pattern.compile("/?gpu:([0-9]{1,4})");

  /** Copies the list. */
  public GpuSelection {
    numbers = List.copyOf(numbers);
  }

  /**
   * The value {@code gpu} for all, or {@code gpu:0,gpu:2} for some.
   *
   * @throws StatusException INVALID_ARGUMENT that names a wrong entry
   */
  public static GpuSelection parse(String value) {
    String lower = value.toLowerCase(Locale.ROOT).strip();
    if (lower.equals(ALL)) {
      return new GpuSelection(List.of());
    }
    List<Integer> numbers = new ArrayList<>();
    for (String entry : lower.split(",", -1)) {
      Matcher matcher = ONE.matcher(entry.strip());
      if (!matcher.matches()) {
        throw StatusException.invalidArgument(
            "GPUs are named gpu, or gpu:N with commas between several, not %s", value);
      }
      int number = Integer.parseInt(matcher.group(1));
      if (numbers.contains(number)) {
        throw StatusException.invalidArgument("gpu:%d is named twice: %s", number, value);
      }
      numbers.add(number);
    }
    return new GpuSelection(numbers);
  }

  /**
   * Each GPU as a value that {@link #parse} takes, such as {@code gpu:0}. All GPUs of a machine
   * without a driver are the value {@code gpu}, with which {@link #open} says the reason.
   *
   * @param search the outcome of the search for the driver
   */
  public List<String> names(CudaSearch search) {
    if (!numbers.isEmpty()) {
      return numbers.stream().map(GpuSelection::name).toList();
    }
    return switch (search) {
      case CudaSearch.Found(CudaDriver driver, _, _) ->
          IntStream.range(0, driver.deviceGetCount()).mapToObj(GpuSelection::name).toList();
      case CudaSearch.Absent _ -> List.of(ALL);
    };
  }

  private static String name(int number) {
    return ALL + ":" + number;
  }

  /**
   * Looks for the driver and opens the GPUs, by the options of {@code config} and the variables of
   * {@code environment}, with the products of {@code cublas}; see {@link GpuAccelerators#open}.
   */
  public List<Accelerator> open(
      ConfigProto config, Map<String, String> environment, CublasLibraries cublas) {
    return GpuAccelerators.open(CudaDrivers.find(), config, environment, numbers, cublas);
  }
}
