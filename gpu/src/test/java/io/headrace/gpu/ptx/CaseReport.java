package io.headrace.gpu.ptx;

import java.util.List;

/**
 * The outcome of a comparison of cases.
 *
 * @param cases how many were compared
 * @param differences those that differ, in words
 */
public record CaseReport(int cases, List<String> differences) {
  /** Copies the list. */
  public CaseReport {
    differences = List.copyOf(differences);
  }
}
