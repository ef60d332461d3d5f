package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.RecordPlaces;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The places of rows in numbered slots: a file and a long each. It takes no space while no row has
 * a place. Not thread-safe.
 */
public final class PlaceStore {
  private @Nullable String[] files = new String[0];
  private long[] records = new long[0];

  /** Stores the place of row {@code row} of {@code places} in {@code slot}. */
  public void put(int slot, RecordPlaces places, int row) {
    if (places.isEmpty() && slot >= files.length) {
      return;
    }
    if (slot >= files.length) {
      int capacity = Math.max(16, 2 * slot);
      files = Arrays.copyOf(files, capacity);
      records = Arrays.copyOf(records, capacity);
    }
    files[slot] = places.file(row);
    records[slot] = places.record(row);
  }

  /** Appends the place in {@code slot} to {@code rows}. */
  public void moveTo(int slot, RecordPlaces.Builder rows) {
    @Nullable String file = slot < files.length ? files[slot] : null;
    if (file == null) {
      rows.addUnknown(1);
    } else {
      rows.add(file, records[slot], 1);
      files[slot] = null;
    }
  }
}
