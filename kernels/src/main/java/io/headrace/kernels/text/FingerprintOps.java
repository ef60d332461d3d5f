package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorProtos;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Fingerprint: a 64-bit FarmHash of each slice of a tensor, as eight bytes, lowest first.
 *
 * <p>Numbers are hashed as their bytes in memory. A slice of one string is hashed as its bytes, one
 * of several as the fingerprints of its strings.
 */
final class FingerprintOps {
  private static final String METHOD = "farmhash64";

  private FingerprintOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Fingerprint(data: T, method: string) -> fingerprint: uint8")
            .attrs(
                "T: {fixedwidth, string, qint8, quint8, qint16, quint16, qint32, float8_e5m2,"
                    + " float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz,"
                    + " float4_e2m1fn, int4, uint4, int2, uint2}")
            .shape(FingerprintOps::infer)
            .stateless(FingerprintOps::compute));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape data = in.shape(0);
    Shapes.checkRankAtLeast(data, 1);
    Tensor method = in.constant(1);
    boolean isKnown = method != null && method.elements() == 1 && isFarmHash(method);
    return List.of(
        Shape.of(
            data.isUnknownRank() ? Shape.UNKNOWN_DIMENSION : data.size(0),
            isKnown ? Long.BYTES : Shape.UNKNOWN_DIMENSION));
  }

  private static boolean isFarmHash(Tensor method) {
    return new String(method.string(0), UTF_8).equals(METHOD);
  }

  private static void compute(KernelCall call) {
    Tensor data = call.input(0);
    Tensor method = call.input(1);
    if (data.shape().rank() < 1) {
      throw invalidArgument("`data` should have at least one dimension: %s", data.shape());
    }
    if (method.shape().rank() != 0) {
      throw invalidArgument("`method` should be a scalar string: %s", method.shape());
    }
    if (!isFarmHash(method)) {
      throw invalidArgument(
          "Unsupported fingerprint method: %s", new String(method.string(0), UTF_8));
    }
    int rows = (int) data.shape().size(0);
    Shape shape = Shape.of(rows, Long.BYTES);
    byte[] result = (byte[]) TensorLimit.allocate(DataType.UINT8, shape);
    ByteBuffer fingerprints = ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN);
    for (int row = 0; row < rows; row++) {
      call.cancellation().check();
      fingerprints.putLong(fingerprint(data.row(row)));
    }
    call.setOutput(0, Tensor.wrap(DataType.UINT8, shape, result));
  }

  private static long fingerprint(Tensor slice) {
    if (slice.dtype() != DataType.STRING) {
      return StringToHashBucketOps.fingerprint(
          TensorProtos.write(slice).getTensorContent().toByteArray());
    }
    if (slice.elements() == 1) {
      return StringToHashBucketOps.fingerprint(slice.string(0));
    }
    ByteBuffer each = ByteBuffer.allocate(slice.elements() * Long.BYTES);
    each.order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < slice.elements(); i++) {
      each.putLong(StringToHashBucketOps.fingerprint(slice.string(i)));
    }
    return StringToHashBucketOps.fingerprint(each.array());
  }
}
