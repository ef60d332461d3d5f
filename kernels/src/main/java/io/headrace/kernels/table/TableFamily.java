package io.headrace.kernels.table;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Lookup tables. */
public final class TableFamily {
  private TableFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(HashTableOps.ops(), InitializeTableOps.ops(), LookupTableOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
