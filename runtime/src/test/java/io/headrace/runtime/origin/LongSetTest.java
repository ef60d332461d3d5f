package io.headrace.runtime.origin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LongSetTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void actsAsASetOfNumbers(long seed) {
    Random random = new Random(seed);
    LongSet set = new LongSet();
    LongSet other = new LongSet();
    TreeSet<Long> numbers = new TreeSet<>();
    TreeSet<Long> others = new TreeSet<>();
    for (int i = 0; i < 300; i++) {
      long from = random.nextInt(40_000);
      long to = from + random.nextInt(random.nextBoolean() ? 9000 : 3);
      (i % 3 == 0 ? other : set).addRange(from, to);
      for (long n = from; n < to; n++) {
        (i % 3 == 0 ? others : numbers).add(n);
      }
      if (i < 40) {
        check(set, numbers);
      }
    }
    check(set, numbers);
    TreeSet<Long> less = new TreeSet<>(numbers);
    less.removeAll(others);
    check(set.minus(other), less);
    TreeSet<Long> both = new TreeSet<>(numbers);
    both.retainAll(others);
    check(set.and(other), both);
    assertThat(RangeEncoding.read(RangeEncoding.write(set))).isEqualTo(set);
  }

  private static void check(LongSet set, NavigableSet<Long> numbers) {
    assertThat(set.size()).isEqualTo(numbers.size());
    TreeSet<Long> found = new TreeSet<>();
    long[] last = {-2};
    set.forEachRange((from, to) -> {
      assertThat(from).isGreaterThan(last[0]);
      last[0] = to;
      for (long n = from; n < to; n++) {
        found.add(n);
      }
    });
    assertThat(found).isEqualTo(numbers);
    for (long n = 0; n < 50_000; n += 17) {
      assertThat(set.contains(n)).isEqualTo(numbers.contains(n));
    }
  }

  @Test
  void shuffledNumbers_endAsOneRange() {
    LongSet set = new LongSet();
    for (long i = 0; i < 100_003; i++) {
      set.add(i * 7919 % 100_003);
    }
    assertThat(set.ranges()).containsExactly(0, 100_003);
  }

  @Test
  void hugeRanges_takeNoTime() {
    LongSet set = new LongSet();
    set.addRange(5, Long.MAX_VALUE - 5);
    assertThat(set.size()).isEqualTo(Long.MAX_VALUE - 10);
    assertThat(set.contains(1L << 50)).isTrue();
  }

  @Test
  void leading_countsUpToTheFirstGap() {
    LongSet set = new LongSet();
    assertThat(set.leading()).isZero();
    set.addRange(5, 8);
    assertThat(set.leading()).isZero();
    set.addRange(0, 4);
    assertThat(set.leading()).isEqualTo(4);
    set.add(4);
    assertThat(set.leading()).isEqualTo(8);
  }

  @Test
  void badCodes_areRefused() {
    for (List<Long> code :
        List.of(List.of(1L), List.of(0L, 0L), List.of(-1L, 2L), List.of(Long.MAX_VALUE, 2L))) {
      assertThatThrownBy(() -> RangeEncoding.read(code)).isInstanceOf(StatusException.class);
    }
  }
}
