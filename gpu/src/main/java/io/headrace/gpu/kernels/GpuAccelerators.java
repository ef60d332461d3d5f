package io.headrace.gpu.kernels;

import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDevice;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.GpuOptions;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GPUOptions;
import io.headrace.runtime.device.Cleanup;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** The GPUs of a machine, as servers and workers offer them. */
public final class GpuAccelerators {
  private GpuAccelerators() {}

  /**
   * Opens GPUs for a server. They are numbered as {@code visible_device_list} orders them.
   *
   * @param search the outcome of the search for the driver
   * @param config {@code gpu_options} and {@code device_count["GPU"]}, as TensorFlow reads them
   * @param environment the process's variables, of which {@link GpuOptions#under} reads some
   * @param numbers the numbers of the GPUs to open; all if empty
   * @param cublas where cuBLAS is looked for; with {@link CublasLibraries#NONE} a row of a pipeline
   *     has the same bits in whatever batch it is computed
   * @return the devices, which the caller closes
   * @throws StatusException INVALID_ARGUMENT for a wrong option, FAILED_PRECONDITION if there is no
   *     such GPU or it is too old, UNAVAILABLE or RESOURCE_EXHAUSTED if the driver refuses it
   */
  public static List<Accelerator> open(
      CudaSearch search,
      ConfigProto config,
      Map<String, String> environment,
      List<Integer> numbers,
      CublasLibraries cublas) {
    return switch (search) {
      case CudaSearch.Found(CudaDriver driver, _, _) ->
          open(driver, config, environment, numbers, cublas);
      case CudaSearch.Absent(String reason, _) ->
          throw new StatusException(
              StatusCode.FAILED_PRECONDITION,
              "there is no GPU: %s (see headrace devices --explain)".formatted(reason));
    };
  }

  private static List<Accelerator> open(
      CudaDriver driver,
      ConfigProto config,
      Map<String, String> environment,
      List<Integer> numbers,
      CublasLibraries cublas) {
    GPUOptions asked = config.getGpuOptions();
    GpuOptions options =
        new GpuOptions(
                asked.getVisibleDeviceList(),
                asked.getPerProcessGpuMemoryFraction(),
                asked.getAllowGrowth(),
                OptionalLong.empty(),
                cublas)
            .under(environment);
    List<CudaDevice> devices = CudaDevice.list(driver);
    List<Integer> visible = options.visibleDevices(devices.size());
    int most = Math.min(visible.size(), config.getDeviceCountOrDefault(Device.GPU, visible.size()));
    List<Integer> wanted = numbers.isEmpty() ? IntStream.range(0, most).boxed().toList() : numbers;
    List<Accelerator> opened = new ArrayList<>();
    try {
      for (int number : wanted) {
        if (number >= most) {
          throw StatusException.of(
              StatusCode.FAILED_PRECONDITION,
              "there is no GPU %d: %d may be used (see headrace devices --explain)",
              number,
              most);
        }
        CudaDevice device = devices.get(visible.get(number));
        checkSupported(device);
        opened.add(
            new GpuAccelerator(
                GpuDevice.open(driver, device.ordinal(), options, SystemTicker.INSTANCE)));
      }
      return List.copyOf(opened);
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> Accelerator.closeAll(opened));
      throw e;
    }
  }

  private static void checkSupported(CudaDevice device) {
    if (!device.isSupported()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "GPU %d (%s) has compute capability %d.%d, and 7.0 is the least",
          device.ordinal(),
          device.name(),
          device.capabilityMajor(),
          device.capabilityMinor());
    }
  }
}
