package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.kernels.ImageBatches.Cut;
import io.headrace.gpu.kernels.ImageBatches.Scaling;
import io.headrace.gpu.ptx.CaseReport;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Batches of images, which the CPU makes of the same images op by op. */
final class ImageBatchCases {
  private static final int HEIGHT = 9; // as well
  private static final int WIDTH = 67; // more than a tile

  private final TestValues values = new TestValues(11);
  private final List<Function<ImageBatches, Optional<String>>> cases = new ArrayList<>();

  private ImageBatchCases() {
    for (int channels = 1; channels <= 4; channels++) {
      boolean isOdd = channels % 2 == 1;
      if (isOdd || channels == 2) {
        prepare(channels, true, isOdd);
      }
      if (isOdd || channels == 4) {
        prepare(channels, false, isOdd);
      }
      if (channels != 2) {
        // One group of pixels, and more than a block takes, of several images.
        planes(image(1, 2, 2, channels));
        planes(image(3, 18, 30, channels));
      }
    }
  }

  /** Compares all cases. */
  static CaseReport againstCpu(GpuDevice device) {
    ImageBatchCases all = new ImageBatchCases();
    List<String> differences = new ArrayList<>();
    ImageBatches batches = new ImageBatches(device.context(), HostWait.uncancelled());
    all.cases.forEach(one -> one.apply(batches).ifPresent(differences::add));
    return new CaseReport(all.cases.size(), differences);
  }

  /** The cases, each of which tells whether a device gives the CPU's results. */
  static List<Predicate<GpuDevice>> all() {
    return new ImageBatchCases()
        .cases.stream()
            .<Predicate<GpuDevice>>map(one ->
                device ->
                    one.apply(new ImageBatches(device.context(), HostWait.uncancelled())).isEmpty())
            .toList();
  }

  private static Scaling scaling(int channels) {
    List<Float> means = List.of(123.675f, 116.28f, 103.53f, 0.3f);
    List<Float> factors = List.of(1 / 58.395f, 1 / 57.12f, 1 / 57.375f, -0.7f);
    return new Scaling(means.subList(0, channels), factors.subList(0, channels));
  }

  private Tensor image(long... sizes) {
    return values.tensor(DataType.UINT8, Shape.of(sizes));
  }

  /** Larger and smaller, flipped and not, whole and part, a single pixel. */
  private void prepare(int channels, boolean areChannelsFirst, boolean areAll) {
    List<Cut> all =
        List.of(
            new Cut(image(12, 50, channels), 2, 5, 9, 35, false),
            new Cut(image(30, 20, channels), 0, 0, 30, 20, true),
            new Cut(image(3, 4, channels), 1, 1, 1, 1, true),
            new Cut(image(7, 61, channels), 3, 0, 4, 60, false));
    List<Cut> cuts = areAll ? all : all.subList(2, 3);
    Scaling scaling = scaling(channels);
    List<Tensor> expected =
        cuts.stream().map(cut -> prepared(cut, scaling, areChannelsFirst)).toList();
    String name = "prepareImages %d %s".formatted(channels, areChannelsFirst);
    cases.add(batches ->
        difference(
            name, batches.prepare(cuts, HEIGHT, WIDTH, scaling, areChannelsFirst), expected));
  }

  private static Tensor prepared(Cut cut, Scaling scaling, boolean areChannelsFirst) {
    Tensor image = cut.image().reshape(cut.image().shape().prepend(1));
    Tensor part =
        op(
            "Slice",
            List.of(
                image,
                Tensor.vector(0, cut.top(), cut.left(), 0),
                Tensor.vector(1, cut.height(), cut.width(), -1)));
    Tensor resized =
        op(
            "ResizeBilinear",
            List.of(part, Tensor.vector(HEIGHT, WIDTH)),
            "half_pixel_centers",
            true);
    Tensor flipped =
        cut.isFlipped() ? op("ReverseV2", List.of(resized, Tensor.vector(new int[] {2}))) : resized;
    return scaled(flipped, scaling, areChannelsFirst);
  }

  private static Tensor scaled(Tensor floats, Scaling scaling, boolean areChannelsFirst) {
    Tensor shifted = op("Sub", List.of(floats, vector(scaling.mean())));
    Tensor scaled = op("Mul", List.of(shifted, vector(scaling.factor())));
    return areChannelsFirst ? op("Transpose", List.of(scaled, Tensor.vector(0, 3, 1, 2))) : scaled;
  }

  private static Tensor vector(List<Float> values) {
    float[] array = new float[values.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = values.get(i);
    }
    return Tensor.of(DataType.FLOAT32, Shape.of(array.length), array);
  }

  private static Tensor op(String name, List<Tensor> inputs, Object... attrs) {
    WrittenCase one = WrittenCase.of(name, inputs, withTypes(name, inputs, attrs));
    TestCall call = TestCall.of(inputs);
    ((Kernel.Sync) CpuKernels.create(one.node())).compute(call);
    return call.outputs().getFirst();
  }

  private static Object[] withTypes(String name, List<Tensor> inputs, Object... attrs) {
    List<Object> all = new ArrayList<>(List.of(attrs));
    if (name.equals("Cast")) {
      all.addAll(List.of("SrcT", DataType.UINT8, "DstT", DataType.FLOAT32));
    } else {
      all.addAll(List.of("T", inputs.getFirst().dtype()));
      all.addAll(
          switch (name) {
            case "Slice" -> List.<Object>of("Index", DataType.INT32);
            case "Transpose" -> List.<Object>of("Tperm", DataType.INT32);
            case "ReverseV2" -> List.<Object>of("Tidx", DataType.INT32);
            default -> List.<Object>of();
          });
    }
    return all.toArray();
  }

  private void planes(Tensor images) {
    Scaling scaling = scaling((int) images.shape().size(3));
    List<Tensor> expected = List.of(scaled(op("Cast", List.of(images)), scaling, true));
    String name = "toPlanes " + images.shape();
    cases.add(batches -> difference(name, batches.toPlanes(images, scaling), expected));
  }

  private static Optional<String> difference(String name, Tensor actual, List<Tensor> expected) {
    int at = 0;
    float[] floats = actual.floats();
    for (Tensor part : expected) {
      for (float value : part.floats()) {
        if (Float.compare(value, floats[at]) != 0) {
          return Optional.of("%s: element %d is %s, not %s".formatted(name, at, floats[at], value));
        }
        at++;
      }
    }
    return at == floats.length
        ? Optional.empty()
        : Optional.of("%s: %d elements, not %d".formatted(name, floats.length, at));
  }
}
