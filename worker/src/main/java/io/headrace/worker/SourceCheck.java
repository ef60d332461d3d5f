package io.headrace.worker;

import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.SourceDescription;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;

/**
 * Whether a worker's sources are those whose splits the dispatcher hands out: a split is a number,
 * and must stand for the same everywhere. Of files the dispatcher says with each split which it is,
 * so that those that were added do no harm.
 */
final class SourceCheck {
  private SourceCheck() {}

  /**
   * Compares what this worker found with what the dispatcher found when the iteration began.
   *
   * @throws StatusException DATA_LOSS if a source is another one; NOT_FOUND if the dispatcher found
   *     no files, and there are some here
   */
  static void requireSame(
      TaskDef task, List<SplitSource> sources, DescribeTaskResponse description) {
    for (int i = 0; i < Math.min(sources.size(), description.getSourcesCount()); i++) {
      SplitSource here = sources.get(i);
      SourceDescription there = description.getSources(i);
      if (!there.getFiles() && here.files().isEmpty()) {
        requireSame(task, i, here, there, remakes(description));
      } else if (there.getCount() == 0) {
        throw StatusException.of(
            StatusCode.NOT_FOUND,
            "source %d of the dataset of task %d has no files where the dispatcher runs, and %d"
                + " here, such as %s; the dispatcher must see the files that it hands out",
            i,
            task.getTaskId(),
            here.count(),
            here.files().getFirst());
      }
    }
  }

  /** Where nothing is made again, what a split stands for is its one worker's affair. */
  private static boolean remakes(DescribeTaskResponse description) {
    return description.getTracksOrigins() || description.getReportsDeliveries();
  }

  private static void requireSame(
      TaskDef task, int index, SplitSource here, SourceDescription there, boolean contents) {
    if (here.count() != there.getCount()) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "source %d of the dataset of task %d had %d splits when this pass over the dataset began,"
              + " and has %d here",
          index,
          task.getTaskId(),
          there.getCount(),
          here.count());
    }
    if (contents && here.fingerprint() != there.getFingerprint()) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "source %d of the dataset of task %d has another content here than it had when this pass"
              + " over the dataset began: what it is made of must be the same on every machine, and"
              + " not random",
          index,
          task.getTaskId());
    }
  }
}
