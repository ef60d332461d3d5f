package io.headrace.gpu.cuda;

import java.util.List;

/** The outcome of looking for the CUDA driver on this machine. */
public sealed interface CudaSearch {
  /** The libraries that were tried, in order, each with the outcome: {@code PATH: not found}. */
  List<String> tried();

  /**
   * The driver is there, with one device or more.
   *
   * @param library the library as it was loaded
   */
  record Found(CudaDriver driver, String library, List<String> tried) implements CudaSearch {
    /** Copies the list. */
    public Found {
      tried = List.copyOf(tried);
    }
  }

  /**
   * No device can be used.
   *
   * @param reason a clause that says why, for users
   */
  record Absent(String reason, List<String> tried) implements CudaSearch {
    /** Copies the list. */
    public Absent {
      tried = List.copyOf(tried);
    }
  }
}
