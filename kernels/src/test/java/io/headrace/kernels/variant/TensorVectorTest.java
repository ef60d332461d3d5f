package io.headrace.kernels.variant;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TensorVectorTest {
  /** All elements in order; null for unset ones. */
  private static List<@Nullable Tensor> elements(TensorVector vector) {
    List<@Nullable Tensor> all = new ArrayList<>();
    for (int i = 0; i < vector.size(); i++) {
      all.add(vector.get(i));
    }
    return all;
  }

  @Test
  void changesAtRandom_giveWhatAListGives_andLeaveEarlierVersionsAlone() {
    Random random = new Random(3);
    TensorVector vector = TensorVector.EMPTY;
    List<@Nullable Tensor> model = new ArrayList<>();
    List<TensorVector> versions = new ArrayList<>();
    List<List<@Nullable Tensor>> expected = new ArrayList<>();
    for (int step = 0; step < 3_000; step++) {
      if (!model.isEmpty() && random.nextInt(10) < 8) {
        int index = random.nextInt(model.size());
        Tensor tensor = Tensor.scalar(step);
        model.set(index, tensor);
        vector = vector.with(index, tensor);
      } else {
        int size = random.nextInt(step % 3 == 0 ? 40 : 5_000);
        while (model.size() > size) {
          model.removeLast();
        }
        while (model.size() < size) {
          model.add(null);
        }
        vector = vector.resized(size);
      }
      if (step % 100 == 0) {
        versions.add(vector);
        expected.add(new ArrayList<>(model));
      }
    }
    for (int i = 0; i < versions.size(); i++) {
      assertThat(elements(versions.get(i))).isEqualTo(expected.get(i));
    }
  }

  @Test
  void forEachSet_visitsWhatIsSetInOrder() {
    List<Integer> visited = new ArrayList<>();
    TensorVector.EMPTY
        .resized(Integer.MAX_VALUE)
        .with(2_000_000_000, Tensor.scalar(1))
        .with(5, Tensor.scalar(2))
        .with(40, Tensor.scalar(3))
        .forEachSet((index, _) -> visited.add(index));
    assertThat(visited).containsExactly(5, 40, 2_000_000_000);
  }

  @Test
  void of_aList_hasItsElements() {
    for (int size : new int[] {0, 1, 31, 32, 33, 1024, 1025, 3000}) {
      List<Tensor> tensors = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        tensors.add(Tensor.scalar(i));
      }
      assertThat(elements(TensorVector.of(tensors))).isEqualTo(tensors);
    }
  }
}
