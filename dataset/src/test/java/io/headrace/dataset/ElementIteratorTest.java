package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When iterators are closed: by the user, at their end, and by the garbage collector. */
final class ElementIteratorTest {
  /**
   * Other tests of this JVM drop iterators, too: elements of this structure are in no other test.
   */
  @Test
  void droppedIterator_isClosedWithOneWarning() throws InterruptedException {
    Structure structure = new Structure.Dict(Map.of("dropped", Dataset.range(1).structure()));
    List<String> warnings = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(ElementIterator.class.getName());
    logger.setFilter(
        line -> warnings.add(MessageFormat.format(line.getMessage(), line.getParameters())));
    try {
      Source source = new Source(0, true);
      drop(structure, source);
      while (!source.closed.await(100, TimeUnit.MILLISECONDS)) {
        System.gc();
      }
      assertThat(warnings)
          .filteredOn(message -> message.contains("dropped:"))
          .singleElement()
          .asString()
          .startsWith("an iterator over elements {dropped: int64[]}, made at ")
          .contains(
              "ElementIteratorTest.drop(ElementIteratorTest.java:",
              ", was dropped without being closed before its end; closing it");
    } finally {
      logger.setFilter(null);
    }
  }

  @Test
  void iteratorAtItsEnd_hasClosedItsSource() {
    Source source = new Source();
    assertThat(iterator(source).hasNext()).isFalse();
    assertThat(source.closed.getCount()).isZero();
  }

  @Test
  void close_saysHowManyRowsOfTheLastChunkWereNotTaken() {
    List<Integer> untaken = new ArrayList<>();
    ChunkReader five =
        new ChunkReader() {
          @Override
          public Chunk next() {
            return Chunk.of(5, List.of());
          }

          @Override
          public void leave(int rows) {
            untaken.add(rows);
          }

          @Override
          public void close() {
            untaken.add(-1);
          }
        };
    try (ElementIterator elements = new ElementIterator(Dataset.range(1).structure(), five)) {
      assertThat(elements.next()).isNotNull();
      assertThat(elements.next()).isNotNull();
    }

    assertThat(untaken).containsExactly(3, -1);
  }

  @Test
  void streamThatWasConsumedWhole_isClosedWithoutAWarning() throws InterruptedException {
    Structure structure = new Structure.Dict(Map.of("whole", Dataset.range(1).structure()));
    List<String> warnings = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(ElementIterator.class.getName());
    logger.setFilter(
        line -> warnings.add(MessageFormat.format(line.getMessage(), line.getParameters())));
    try {
      Source three = new Source(3, true);
      takeThree(structure, three);
      while (!three.closed.await(100, TimeUnit.MILLISECONDS)) {
        System.gc();
      }
      assertThat(warnings).noneMatch(message -> message.contains("whole:"));
    } finally {
      logger.setFilter(null);
    }
  }

  @Test
  void droppedIteratorOfThisProcess_isClosedWithoutAWarning() throws InterruptedException {
    Structure structure = new Structure.Dict(Map.of("local", Dataset.range(1).structure()));
    List<String> warnings = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(ElementIterator.class.getName());
    logger.setFilter(
        line -> warnings.add(MessageFormat.format(line.getMessage(), line.getParameters())));
    try {
      Source source = new Source();
      drop(structure, source);
      while (!source.closed.await(100, TimeUnit.MILLISECONDS)) {
        System.gc();
      }
      assertThat(warnings).noneMatch(message -> message.contains("local:"));
    } finally {
      logger.setFilter(null);
    }
  }

  @Test
  void errorOfAnotherThread_hasTheUsersFrames() {
    Dataset failing = Dataset.range(3).map(x -> x.floorDiv(x)).prefetch(1);
    try (ElementIterator elements = failing.iterator()) {
      assertThatThrownBy(elements::next)
          .isInstanceOf(StatusException.class)
          .satisfies(e ->
              assertThat(e.getStackTrace())
                  .anyMatch(
                      frame -> frame.getClassName().equals(ElementIteratorTest.class.getName())));
      assertThat(elements.next().asLong()).isEqualTo(1);
    }
  }

  @Test
  void forEach_endsThePassWithTheFirstError() {
    List<Long> seen = new ArrayList<>();
    Dataset failing = Dataset.range(3).map(x -> x.sub(1).floorDiv(x.sub(1)));
    assertThatThrownBy(() -> failing.forEach(element -> seen.add(element.asLong())))
        .isInstanceOf(StatusException.class);
    assertThat(seen).containsExactly(1L);
  }

  @Test
  void next_behindTheEndOrClose_saysWhich() {
    ElementIterator ended = Dataset.range(2).iterator();
    ended.forEachRemaining(_ -> {});
    assertThatThrownBy(ended::next)
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("the dataset ended after 2 elements");

    ElementIterator closed = Dataset.range(2).iterator();
    var _ = closed.next();
    closed.close();
    assertThat(closed.hasNext()).isFalse();
    assertThatThrownBy(closed::next)
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("the iterator was closed after 1 elements");
  }

  private static void takeThree(Structure structure, Source source) {
    List<Element> elements = new ElementIterator(structure, source).stream().limit(3).toList();
    assertThat(elements).hasSize(3);
  }

  /** In its own stack frame, so that no local variable holds the iterator. */
  private static void drop(Structure structure, Source source) {
    assertThat(new ElementIterator(structure, source)).isNotNull();
  }

  private static ElementIterator iterator(Source source) {
    return new ElementIterator(Dataset.range(1).structure(), source);
  }

  /** A reader of one chunk; empty by default. */
  private static final class Source implements ChunkReader {
    private final CountDownLatch closed = new CountDownLatch(1);
    private final int rows;
    private final boolean fromWorkers;
    private boolean read;

    Source() {
      this(0, false);
    }

    Source(int rows, boolean fromWorkers) {
      this.rows = rows;
      this.fromWorkers = fromWorkers;
      this.read = rows == 0;
    }

    @Override
    public @Nullable Chunk next() {
      if (read) {
        return null;
      }
      read = true;
      return Chunk.of(rows, List.of());
    }

    @Override
    public boolean readsFromWorkers() {
      return fromWorkers;
    }

    @Override
    public long cardinality() {
      return rows == 0 ? ChunkReader.super.cardinality() : rows;
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }
}
