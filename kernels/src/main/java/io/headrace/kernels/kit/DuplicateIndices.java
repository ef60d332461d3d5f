package io.headrace.kernels.kit;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Splits indices with duplicates into rounds without, so that the updates of one index are applied
 * one after the other.
 */
public final class DuplicateIndices {
  private DuplicateIndices() {}

  /**
   * Splits the positions of the vector {@code indices} into rounds. No index occurs twice in a
   * round; the positions of one index are in successive rounds, in their order.
   *
   * @throws io.headrace.runtime.status.StatusException INVALID_ARGUMENT if an index is not in [0,
   *     {@code size})
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
