package io.headrace.dispatcher.graph;

import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.runtime.graph.GraphHash;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;

/**
 * The fingerprint that a token and the iteration it resumes must share: 32 bits of a hash of the
 * dataset's graph and 32 bits of a hash of its sources, as one number. 0 stands for no fingerprint.
 */
public final class DatasetFingerprint {
  private static final GraphHash.Omissions TUNING = new TuningOmissions();

  private DatasetFingerprint() {}

  /** Combines the hash of a dataset and the hash of its sources, each folded to 32 bits. */
  static long of(long dataset, long sources) {
    return (long) half(dataset) << Integer.SIZE | Integer.toUnsignedLong(half(sources));
  }

  private static int half(long hash) {
    int half = Long.hashCode(hash);
    return half == 0 ? 1 : half;
  }

  /**
   * A hash of the records that {@code dataset} makes elements of, and of how it makes them; never
   * 0.
   */
  public static long ofRecords(DatasetDef dataset) {
    return GraphHash.of(dataset.getGraph(), (_, _) -> {}, TUNING);
  }

  /** The dataset's half of the fingerprint, in hexadecimal. */
  public static String text(DatasetDef dataset) {
    return "%08x".formatted(half(ofRecords(dataset)));
  }

  /**
   * Requires a token's fingerprint to match.
   *
   * @param fingerprint of the dataset and its sources
   * @param outline of the same
   * @param sources the split sources; empty if they are not known
   * @param token the fingerprint in the token, and its outline
   * @throws StatusException INVALID_ARGUMENT if the token is of another dataset,
   *     FAILED_PRECONDITION if the dataset's sources have changed
   */
  public static void requireSame(
      long fingerprint,
      DatasetOutline outline,
      List<SplitSource> sources,
      JoinIterationRequest token) {
    long ofToken = token.getSourcesFingerprint();
    boolean same = (int) fingerprint == (int) ofToken;
    if (fingerprint >>> Integer.SIZE != ofToken >>> Integer.SIZE) {
      throw StatusException.invalidArgument(
          "the checkpoint belongs to another dataset: its transformations, their functions or"
              + " parameters differ%s%s (fingerprint %016x, and the checkpoint has %016x); resume"
              + " with the checkpoint's own dataset, or begin without the checkpoint",
          same ? "" : ", and so do its sources",
          DatasetOutlines.difference(outline, token.getOutline()),
          fingerprint,
          ofToken);
    }
    if (!same) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "the sources have changed since the checkpoint was made (%sother files, files written"
              + " anew, another length, or other contents: fingerprint %016x, and the checkpoint"
              + " has %016x); begin without the checkpoint",
          DatasetOutlines.changedFiles(sources, token.getOutline()),
          fingerprint,
          ofToken);
    }
  }
}
