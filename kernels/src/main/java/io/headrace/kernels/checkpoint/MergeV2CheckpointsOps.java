package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** MergeV2Checkpoints: merges the V2 checkpoints of several hosts into one. */
final class MergeV2CheckpointsOps {
  private MergeV2CheckpointsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string)")
            .attrs("delete_old_dirs: bool = true", "allow_missing_files: bool = false")
            .stateful()
            .touches(Touch.READS_FILES, Touch.WRITES_FILES)
            .shape(_ -> List.of())
            .kernel(MergeV2CheckpointsOps::merge));
  }

  private static Kernel.Sync merge(NodeSpec node) {
    boolean deletesFolders = node.attrs().bool("delete_old_dirs");
    boolean allowsMissing = node.attrs().bool("allow_missing_files");
    return call -> {
      Tensor inputs = call.input(0);
      Tensor destination = call.input(1);
      if (inputs.shape().rank() != 1) {
        throw invalidArgument(
            "Input checkpoint_prefixes should be an 1-D tensor, got %s instead.", inputs.shape());
      }
      if (destination.shape().rank() != 0) {
        throw invalidArgument(
            "Input destination_prefix should be a scalar tensor, got %s instead.",
            destination.shape());
      }
      List<String> prefixes = SaveRestoreV2Inputs.texts(inputs);
      String merged = ByteStrings.text(destination.string(0));
      BundleMerger.merge(prefixes, merged, allowsMissing);
      if (deletesFolders) {
        deleteFolders(prefixes, DataFiles.folderOf(merged));
      }
    };
  }

  /** Deletes the folders of {@code prefixes} that have nothing left in them. */
  private static void deleteFolders(List<String> prefixes, String kept) {
    for (String prefix : prefixes) {
      String folder = DataFiles.folderOf(prefix);
      if (!folder.equals(kept)) {
        DataFiles.delete(folder);
      }
    }
  }
}
