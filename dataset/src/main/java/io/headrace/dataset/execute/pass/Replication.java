package io.headrace.dataset.execute.pass;

/** Sources that every worker reads all of. */
public final class Replication {
  /** What is told of their rows. */
  public static final Lineage LINEAGE =
      new Lineage.Lost(
          "replicate_on_split: each worker reads all of the source, not its splits", false);

  private Replication() {}
}
