package io.headrace.kernels.kit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class KeyIndexTest {
  private static final int KEYS = 300;

  /** Compares the index with a list in which the last key replaces a removed one. */
  private static void putAndRemoveAtRandom(DataType dtype, Object keys) {
    KeyIndex index = KeyIndex.of(dtype);
    List<Integer> model = new ArrayList<>();
    Random random = new Random(7);
    for (int step = 0; step < 20_000; step++) {
      int key = random.nextInt(KEYS);
      int known = model.indexOf(key);
      assertThat(index.find(keys, key)).isEqualTo(known);
      if (random.nextInt(1000) < (step / 2_000 % 2 == 0 ? 700 : 300)) {
        assertThat(index.put(keys, key)).isEqualTo(known < 0 ? model.size() : known);
        if (known < 0) {
          model.add(key);
        }
      } else {
        assertThat(index.remove(keys, key)).isEqualTo(known);
        if (known >= 0) {
          int last = model.removeLast();
          if (known < model.size()) {
            model.set(known, last);
          }
        }
      }
      assertThat(index.size()).isEqualTo(model.size());
    }
  }

  @Test
  void integers_behaveAsAListOfThem() {
    long[] keys = new Random(1).longs(KEYS).toArray();
    putAndRemoveAtRandom(DataType.INT64, keys);
    int[] small = new int[KEYS];
    for (int i = 0; i < KEYS; i++) {
      small[i] = i << 20; // keys that differ in few bits
    }
    putAndRemoveAtRandom(DataType.INT32, small);
  }

  @Test
  void strings_behaveAsAListOfThem() {
    byte[][] keys = new byte[KEYS][];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = i == 0 ? new byte[0] : Integer.toString(i, 2).getBytes(US_ASCII);
    }
    putAndRemoveAtRandom(DataType.STRING, keys);
  }

  @Test
  void of_floats_isRefused() {
    assertThatThrownBy(() -> KeyIndex.of(DataType.FLOAT32))
        .hasMessageContaining("must be int32, int64 or string, and are float");
  }
}
