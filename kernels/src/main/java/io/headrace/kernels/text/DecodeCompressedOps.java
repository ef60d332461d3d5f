package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.List;

/** DecodeCompressed: strings compressed by zlib, gzip or Zstandard, decompressed. */
final class DecodeCompressedOps {
  private DecodeCompressedOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeCompressed(bytes: string) -> output: string")
            .attrs("compression_type: string = \"\"")
            .remark("ZSTD needs com.github.luben:zstd-jni, which headrace-natives brings.")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> {
              LenientDecompression inflating =
                  LenientDecompression.ofName(node.attrs().string("compression_type"));
              return new PerElement(input -> ByteStrings.map(input, inflating::inflate));
            }));
  }
}
