package io.headrace.gpu.ptx;

import io.headrace.runtime.elementwise.StridedPlan;
import io.headrace.runtime.elementwise.StridedView;
import io.headrace.runtime.elementwise.StridedView.Axis;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.tensor.DataType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Kernels of all kinds of tiles. */
final class TiledKernels {
  private static final List<DataType> DTYPES =
      List.of(
          DataType.BOOL,
          DataType.UINT8,
          DataType.INT8,
          DataType.UINT16,
          DataType.INT16,
          DataType.UINT32,
          DataType.INT32,
          DataType.UINT64,
          DataType.INT64,
          DataType.BFLOAT16,
          DataType.FLOAT16,
          DataType.FLOAT32,
          DataType.FLOAT64);

  private TiledKernels() {}

  /** The texts of the kernels, with their names. */
  static Map<String, String> all() {
    Map<String, String> kernels = new LinkedHashMap<>();
    for (DataType dtype : DTYPES) {
      Expression x = new Expression.Input(0, dtype);
      Expression y = new Expression.Input(1, dtype);
      LoopProgram program =
          LoopProgram.of(
              dtype == DataType.BOOL ? x : x.add(y).convert(DataType.FLOAT32),
              List.of(dtype, dtype));
      for (int channels : List.of(3, 40)) {
        StridedView planes =
            new StridedView(
                0,
                List.of(
                    new Axis(2, 100 * channels), new Axis(channels, 1), new Axis(100, channels)));
        StridedPlan plan =
            StridedPlan.of(List.of(planes, StridedView.all(200 * channels))).orElseThrow();
        TiledLayout layout = TiledLayout.of(program, plan).orElseThrow().layout();
        kernels.put(
            TiledPtx.of(program, layout).text(), "tiles of %d %s".formatted(channels, dtype));
      }
    }
    return kernels;
  }
}
