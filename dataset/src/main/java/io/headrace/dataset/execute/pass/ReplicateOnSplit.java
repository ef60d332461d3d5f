package io.headrace.dataset.execute.pass;

/** Sources that every worker reads completely. */
public final class ReplicateOnSplit {
  /** The lineage of a replicated source. */
  public static final Lineage LINEAGE =
      new Lineage.Lost(
          "replicate_on_split: each worker reads all of the source, not its splits", false);

  private ReplicateOnSplit() {}
}
