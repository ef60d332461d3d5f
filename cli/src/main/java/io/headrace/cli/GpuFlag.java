package io.headrace.cli;

import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.kernels.GpuAccelerators;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of {@code --devices}.
 *
 * @param numbers the numbers of the GPUs; all if empty
 */
record GpuFlag(List<Integer> numbers) {
  private static final String ALL = "gpu";
  private static final Pattern ONE = Pattern.compile("/?gpu:([0-9]{1,4})");

  /** Copies the list. */
  GpuFlag {
    numbers = List.copyOf(numbers);
  }

  /**
   * The value {@code gpu} for all, or {@code gpu:0,gpu:2} for some.
   *
   * @throws StatusException INVALID_ARGUMENT that names a wrong entry
   */
  static GpuFlag parse(String value) {
    String lower = value.toLowerCase(Locale.ROOT).strip();
    if (lower.equals(ALL)) {
      return new GpuFlag(List.of());
    }
    List<Integer> numbers = new ArrayList<>();
    for (String entry : lower.split(",", -1)) {
      Matcher matcher = ONE.matcher(entry.strip());
      if (!matcher.matches()) {
        throw StatusException.invalidArgument(
            "--devices must be gpu, or gpu:N with commas between several, not %s", value);
      }
      int number = Integer.parseInt(matcher.group(1));
      if (numbers.contains(number)) {
        throw StatusException.invalidArgument("--devices names gpu:%d twice: %s", number, value);
      }
      numbers.add(number);
    }
    return new GpuFlag(numbers);
  }

  /** Opens the GPUs, by the options of {@code config}. */
  List<Accelerator> open(ConfigProto config) {
    return GpuAccelerators.open(CudaDrivers.find(), config, numbers);
  }
}
