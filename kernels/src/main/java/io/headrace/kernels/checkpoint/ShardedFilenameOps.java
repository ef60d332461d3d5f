package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** ShardedFilename and ShardedFilespec: the file names of a checkpoint of several shards. */
final class ShardedFilenameOps {
  private ShardedFilenameOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ShardedFilename(basename: string, shard: int32, num_shards: int32) -> filename:"
                    + " string")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0,
                    Tensor.scalar(
                        CheckpointFiles.sharded(
                            text(call, 0, "basename"),
                            number(call, 1, "shard"),
                            number(call, 2, "num_shards"))))),
        Op.define("ShardedFilespec(basename: string, num_shards: int32) -> filename: string")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0,
                    Tensor.scalar(
                        CheckpointFiles.shardedPattern(
                            text(call, 0, "basename"), number(call, 1, "num_shards"))))));
  }

  private static void checkScalar(Tensor tensor, String name) {
    if (tensor.shape().rank() != 0) {
      throw invalidArgument("%s must be a scalar, got shape %s", name, tensor.shape());
    }
  }

  private static String text(KernelCall call, int input, String name) {
    checkScalar(call.input(input), name);
    return ByteStrings.text(call.input(input).string(0));
  }

  private static int number(KernelCall call, int input, String name) {
    checkScalar(call.input(input), name);
    return (int) call.input(input).integer(0);
  }
}
