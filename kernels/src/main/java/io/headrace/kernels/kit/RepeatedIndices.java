package io.headrace.kernels.kit;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits indices so that what is done for an index that comes twice is done one by one. */
public final class RepeatedIndices {
  private RepeatedIndices() {}

  /**
   * The entries of the vector {@code indices} in rounds, in none of which an index comes twice, and
   * in whose order the entries of one index keep theirs. INVALID_ARGUMENT if an index is not in [0,
   * {@code size}).
   */
  public static int[][] rounds(Tensor indices, long size) {
    long[] entries = new long[indices.elements()];
    for (int i = 0; i < entries.length; i++) {
      long index = indices.integer(i);
      if (index < 0 || index >= size) {
        throw invalidArgument("Index %d at offset %d in indices is out of range", index, i);
      }
      entries[i] = index << Integer.SIZE | i;
    }
    Arrays.sort(entries);
    List<List<Integer>> rounds = new ArrayList<>();
    int round = 0;
    for (int i = 0; i < entries.length; i++) {
      boolean again = i > 0 && entries[i] >> Integer.SIZE == entries[i - 1] >> Integer.SIZE;
      round = again ? round + 1 : 0;
      if (round == rounds.size()) {
        rounds.add(new ArrayList<>());
      }
      rounds.get(round).add((int) entries[i]);
    }
    return rounds.stream()
        .map(entry -> entry.stream().mapToInt(Integer::intValue).toArray())
        .toArray(int[][]::new);
  }
}
