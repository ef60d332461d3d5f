package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.execute.pass.CacheBudget;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.MemoryCache;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.dataset.execute.transform.CacheDataset;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class CacheBudgetTest {
  private final CacheBudget budget = new CacheBudget(100);
  private final CacheBudget.Share one = budget.share();
  private final CacheBudget.Share other = budget.share();

  private static void assertExhausted(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
        .hasMessageContaining("node c")
        .hasMessageContaining("--max-cache-bytes");
  }

  @Test
  void take_beyondWhatAllHold_isExhaustedNamingTheNode() {
    one.take(60, "node a");
    other.take(40, "node b");

    assertExhausted(() -> one.take(1, "node c"));
    assertThat(budget.usedBytes()).isEqualTo(100);
  }

  @Test
  void rowWithoutRoom_isTheOnlyError_andNothingIsKept() {
    CountingDataset numbers = new CountingDataset(30);
    CacheDataset cached = new CacheDataset(numbers, new MemoryCache(), "node c");
    IteratorContext context = PassReader.context();
    var _ =
        context
            .step()
            .resources()
            .lookupOrCreate("", "cache-budget", CacheBudget.Share.class, () -> one);
    List<String> lines = new ArrayList<>();
    try (ChunkIterator rows = cached.iterator(context)) {
      for (int i = 0; i < 8; i++) {
        PassReader.addNext(rows, 5, lines);
      }
      assertThat(budget.usedBytes()).isZero();
    }

    assertThat(lines).hasSize(31).endsWith("end");
    assertThat(lines.get(10)).isEqualTo("error RESOURCE_EXHAUSTED");
    assertThat(lines.get(11)).isEqualTo("int64[] 11");
    assertThat(cached.iterator(context)).isNotInstanceOf(InMemoryDataset.Iterator.class);
  }

  @Test
  void close_givesBackWhatItHolds_once() {
    one.take(60, "node a");
    other.take(40, "node b");
    one.giveBack(10);
    one.close();
    one.close();
    one.giveBack(50);

    assertThat(budget.usedBytes()).isEqualTo(40);
    other.take(60, "node b");
  }
}
