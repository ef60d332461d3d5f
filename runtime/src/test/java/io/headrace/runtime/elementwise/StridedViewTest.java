package io.headrace.runtime.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.elementwise.StridedView.Axis;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class StridedViewTest {
  private static final int H = 5;
  private static final int W = 7;

  /** The positions of a view's elements. */
  private static List<Integer> positions(StridedView view) {
    List<Integer> positions = new ArrayList<>(List.of(view.offset()));
    for (Axis axis : view.axes()) {
      List<Integer> wider = new ArrayList<>();
      for (int position : positions) {
        for (int i = 0; i < axis.size(); i++) {
          wider.add(position + i * axis.stride());
        }
      }
      positions = wider;
    }
    return positions;
  }

  private static StridedView view(int offset, int... sizesAndStrides) {
    List<Axis> axes = new ArrayList<>();
    for (int i = 0; i < sizesAndStrides.length; i += 2) {
      axes.add(new Axis(sizesAndStrides[i], sizesAndStrides[i + 1]));
    }
    return new StridedView(offset, axes);
  }

  private static void assertComposed(StridedView first, StridedView second) {
    Optional<StridedView> both = first.then(second);
    List<Integer> positions = positions(first);
    assertThat(both).isPresent();
    assertThat(positions(both.get()))
        .isEqualTo(positions(second).stream().map(positions::get).toList());
  }

  @Test
  void cutThenFlippedThenPlanes_isOneView() {
    StridedView cut = view(3 * (W + 2), H - 1, 3 * W, 3 * (W - 2), 1);
    int width = W - 2;
    StridedView flipped = view(3 * (width - 1), H - 1, 3 * width, width, -3, 3, 1);
    StridedView planes = view(0, 3, 1, (H - 1) * width, 3);

    assertComposed(cut, flipped);
    assertComposed(cut.then(flipped).orElseThrow(), planes);
  }

  @Test
  void wholeReadBackwards_splitsWhereDigitsCarry() {
    assertComposed(view(0, 4, 10, 6, 1), view(23, 24, -1));
  }

  @Test
  void stepsThatCarryInexactly_areNoView() {
    StridedView planes = view(0, 3, 1, H * W, 3);

    assertThat(planes.then(view(0, 5, 21, 21, 1))).isPresent();
    assertThat(planes.then(view(0, 50, 2))).isEmpty();
  }

  @Test
  void views_thatArePresent_pickTheSameElements() {
    Random random = new Random(7);
    int present = 0;
    for (int i = 0; i < 20_000; i++) {
      StridedView first = randomView(List.of(2, 3, 4, 2), random);
      StridedView second = randomView(sizes(first.elements(), random), random);
      List<Integer> positions = positions(first);
      Optional<StridedView> both = first.then(second);
      if (both.isPresent()) {
        present++;
        assertThat(positions(both.get()))
            .as("%s, %s", first, second)
            .isEqualTo(positions(second).stream().map(positions::get).toList());
      }
    }
    assertThat(present).isGreaterThan(5_000);
  }

  /** The factors of {@code elements} in random order. */
  private static List<Integer> sizes(int elements, Random random) {
    List<Integer> sizes = new ArrayList<>();
    int rest = elements;
    for (int factor = 2; rest > 1; factor++) {
      while (rest % factor == 0) {
        sizes.add(factor);
        rest /= factor;
      }
    }
    Collections.shuffle(sizes, random);
    return sizes;
  }

  /** Axes of {@code sizes}, each kept, reversed, cut, thinned out or repeated, in random order. */
  private static StridedView randomView(List<Integer> sizes, Random random) {
    List<Axis> axes = new ArrayList<>();
    int offset = 0;
    int stride = 1;
    for (int size : sizes.reversed()) {
      switch (random.nextInt(5)) {
        case 0 -> {
          offset += (size - 1) * stride;
          axes.add(new Axis(size, -stride));
        }
        case 1 -> {
          int from = random.nextInt(size);
          offset += from * stride;
          axes.add(new Axis(1 + random.nextInt(size - from), stride));
        }
        case 2 -> axes.add(new Axis((size + 1) / 2, 2 * stride));
        default -> axes.add(new Axis(size, stride));
      }
      stride *= size;
    }
    if (random.nextInt(4) == 0) {
      axes.add(new Axis(3, 0));
    }
    if (random.nextBoolean()) {
      Collections.shuffle(axes, random);
    } else {
      Collections.reverse(axes);
    }
    return new StridedView(offset, axes);
  }

  @Test
  void plan_ofViewsThatCutAlike_hasTheStridesOfEach() {
    StridedView planes = view(0, 2, 12, 3, 1, 4, 3);
    StridedView means = view(0, 2, 0, 3, 1, 4, 0);

    StridedPlan plan = StridedPlan.of(List.of(planes, means, StridedView.all(24))).orElseThrow();

    assertThat(plan.sizes()).containsExactly(2, 3, 4);
    assertThat(plan.targetStrides()).containsExactly(12, 4, 1);
    assertThat(plan.operands().get(0).strides()).containsExactly(12, 1, 3);
    assertThat(plan.operands().get(1).strides()).containsExactly(0, 1, 0);
    assertThat(plan.isInOrder(2)).isTrue();
    assertThat(plan.withLastButOne(0).sizes()).containsExactly(3, 2, 4);
  }

  @Test
  void plan_ofViewsThatCutApart_isNone() {
    assertThat(StridedPlan.of(List.of(view(0, 2, 1, 3, 2), view(0, 3, 1, 2, 3)))).isEmpty();
  }
}
