package io.headrace.worker;

import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.SourceDescription;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;

/**
 * Checks that a worker's sources match those whose splits the dispatcher assigns: a split is a
 * number, and must mean the same records everywhere. For files, the dispatcher sends the name with
 * each split, so added files do no harm.
 */
final class SourceConsistencyCheck {
  private SourceConsistencyCheck() {}

  /**
   * Compares this worker's sources with those that the dispatcher found when the iteration began.
   *
   * @throws StatusException DATA_LOSS if a source differs; NOT_FOUND if the dispatcher found no
   *     files and this worker did
   */
  static void requireSame(
      TaskDef task, List<SplitSource> sources, DescribeTaskResponse description) {
    for (int i = 0; i < Math.min(sources.size(), description.getSourcesCount()); i++) {
      SplitSource here = sources.get(i);
      SourceDescription there = description.getSources(i);
      if (!there.getFiles() && here.files().isEmpty()) {
        requireSame(task, i, here, there, mayReproduce(description));
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

  /**
   * Whether splits may be produced again; if not, only one worker reads a split, and its content
   * need not match.
   */
  private static boolean mayReproduce(DescribeTaskResponse description) {
    return description.getTracksOrigins() || description.getReportsDeliveries();
  }

  private static void requireSame(
      TaskDef task, int index, SplitSource here, SourceDescription there, boolean checkContents) {
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
    if (checkContents && here.fingerprint() != there.getFingerprint()) {
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
