package io.headrace.gpu.cuda;

import java.util.List;

/** The outcome of looking for cuBLAS on this machine. */
public sealed interface CublasSearch {
  /** The libraries that were tried, in order, each with the outcome: {@code PATH: not found}. */
  List<String> tried();

  /**
   * The library is there.
   *
   * @param library the library as it was loaded
   */
  record Found(Cublas cublas, String library, List<String> tried) implements CublasSearch {
    /** Copies the list. */
    public Found {
      tried = List.copyOf(tried);
    }
  }

  /**
   * It is not there, or not looked for.
   *
   * @param reason a clause that says why, for users
   */
  record Absent(String reason, List<String> tried) implements CublasSearch {
    /** Copies the list. */
    public Absent {
      tried = List.copyOf(tried);
    }
  }
}
