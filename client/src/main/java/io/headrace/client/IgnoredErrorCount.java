package io.headrace.client;

import com.google.protobuf.UnknownFieldSet;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.headrace.GetElementNote;
import java.util.List;

/**
 * How many elements of a task failed and were left out by ignore_errors, as far as its worker has
 * told. Not thread-safe.
 */
final class IgnoredErrorCount {
  private long pass;
  private long ofPass;
  private long untold;

  /**
   * Follows a count.
   *
   * @param countedPass the pass over the task's dataset that it belongs to; 0 if not known yet
   * @param count the elements of this pass so far
   */
  void follow(long countedPass, long count) {
    if (countedPass == 0) {
      return;
    }
    if (pass != countedPass) {
      pass = countedPass;
      ofPass = 0;
    }
    untold += Math.max(0, count - ofPass);
    ofPass = Math.max(ofPass, count);
  }

  /** Follows the count in a reply to GetElement, which those of stock workers do not have. */
  void follow(GetElementResponse reply) {
    UnknownFieldSet added = reply.getUnknownFields();
    follow(
        last(added.getField(GetElementNote.PASS_FIELD_NUMBER).getFixed64List()),
        last(added.getField(GetElementNote.ERRORS_IGNORED_FIELD_NUMBER).getVarintList()));
  }

  private static long last(List<Long> values) {
    return values.isEmpty() ? 0 : values.getLast();
  }

  /** How many more they are than at the last call; those of a pass begun anew count again. */
  long takeNew() {
    long more = untold;
    untold = 0;
    return more;
  }

  /** The pass that was followed last; 0 if there was none. */
  long pass() {
    return pass;
  }

  /** The elements of this pass. */
  long ofPass() {
    return ofPass;
  }
}
