package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.tensor.Chunk;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
      Source source = new Source();
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
      Source three = new Source(3);
      takeThree(structure, three);
      while (!three.closed.await(100, TimeUnit.MILLISECONDS)) {
        System.gc();
      }
      assertThat(warnings).noneMatch(message -> message.contains("whole:"));
    } finally {
      logger.setFilter(null);
    }
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
    private boolean read;

    Source() {
      this(0);
    }

    Source(int rows) {
      this.rows = rows;
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
    public long cardinality() {
      return rows == 0 ? ChunkReader.super.cardinality() : rows;
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }
}
