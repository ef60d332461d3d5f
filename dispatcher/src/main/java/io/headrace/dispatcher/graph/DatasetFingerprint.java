package io.headrace.dispatcher.graph;

import io.headrace.proto.data.DatasetDef;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/**
 * What a token must have in common with the iteration that goes on from it: 32 bits of a hash of
 * what the dataset computes, and 32 bits of a hash of its sources, in one number that is 0 for no
 * fingerprint only.
 */
public final class DatasetFingerprint {
  private static final GraphHash.Omissions TUNING = new TuningOmitted();

  private DatasetFingerprint() {}

  /** The fingerprint of a dataset and its sources, of whose hashes each bit matters. */
  static long of(long dataset, long sources) {
    return (long) half(dataset) << Integer.SIZE | Integer.toUnsignedLong(half(sources));
  }

  private static int half(long hash) {
    int half = Long.hashCode(hash);
    return half == 0 ? 1 : half;
  }

  /** A hash of which records {@code dataset} makes elements of, and how; never 0. */
  public static long ofRecords(DatasetDef dataset) {
    return GraphHash.of(dataset.getGraph(), (_, _) -> {}, TUNING);
  }

  /**
   * Fails, saying which of both differs, if a token can't be gone on with.
   *
   * @throws StatusException INVALID_ARGUMENT if it is of another dataset, FAILED_PRECONDITION if
   *     the dataset's sources have changed
   */
  public static void requireSame(long fingerprint, long ofToken) {
    boolean sources = (int) fingerprint == (int) ofToken;
    if (fingerprint >>> Integer.SIZE != ofToken >>> Integer.SIZE) {
      throw StatusException.invalidArgument(
          "the token belongs to another dataset: its transformations, their functions or"
              + " parameters differ%s (fingerprint %016x, and the token has %016x); go on with the"
              + " dataset that the token is of, or begin without it",
          sources ? "" : ", and so do its sources", fingerprint, ofToken);
    }
    if (!sources) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "the sources have changed since the token was made (other files, files written anew,"
              + " another length, or other contents: fingerprint %016x, and the token has %016x);"
              + " begin without it",
          fingerprint,
          ofToken);
    }
  }
}
