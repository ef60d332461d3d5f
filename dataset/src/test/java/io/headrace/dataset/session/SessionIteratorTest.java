package io.headrace.dataset.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The assignment of elements to callers when elements are late and callers are cancelled. */
@Timeout(60)
final class SessionIteratorTest {
  private static final ElementTypes INT64 =
      new ElementTypes(List.of(DataType.INT64), List.of(Shape.SCALAR));

  private final SessionIterator iterator = new SessionIterator("", "i", INT64);
  private final Cancellation never = new Cancellation();

  /** A dataset whose elements the test controls: numbers, failures, or the end. */
  private static final class Fed implements DatasetValue {
    final BlockingQueue<Object> elements = new LinkedBlockingQueue<>();

    @Override
    public List<DataType> outputTypes() {
      return List.of(DataType.INT64);
    }

    @Override
    public List<Shape> outputShapes() {
      return List.of(Shape.SCALAR);
    }

    @Override
    public long cardinality() {
      return UNKNOWN;
    }

    @Override
    public ChunkIterator iterator(IteratorContext context) {
      return new ChunkIterator() {
        @Override
        public @Nullable Chunk next(int maxRows) {
          Object element;
          try {
            element = elements.take();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return switch (element) {
            case Long number -> Chunk.ofElement(List.of(Tensor.scalar(number.longValue())));
            case StatusException failure -> throw failure;
            default -> null;
          };
        }

        @Override
        public void close() {
          elements.add(new StatusException(StatusCode.CANCELLED, "closed"));
        }
      };
    }
  }

  @AfterEach
  void close() {
    iterator.close();
  }

  private Fed begun() {
    Fed fed = new Fed();
    iterator.begin(fed, StepContext.standalone());
    return fed;
  }

  private static long number(CompletableFuture<Optional<List<Tensor>>> next) {
    return next.join().orElseThrow().getFirst().integer(0);
  }

  private static void assertFails(CompletableFuture<?> next, StatusCode code) {
    assertThatThrownBy(next::join)
        .isInstanceOf(CompletionException.class)
        .extracting(e -> StatusException.codeOf(requireNonNull(e.getCause())))
        .isEqualTo(code);
  }

  @Test
  void callers_areServedInOrder_thenComesTheEnd() {
    Fed fed = begun();
    var first = iterator.next(never);
    var second = iterator.next(never);
    fed.elements.addAll(List.of(1L, 2L, "end"));
    assertThat(number(first)).isEqualTo(1);
    assertThat(number(second)).isEqualTo(2);
    assertThat(iterator.next(never).join()).isEmpty();
  }

  @Test
  void failure_isItsElements() {
    Fed fed = begun();
    fed.elements.addAll(List.of(1L, new StatusException(StatusCode.DATA_LOSS, "torn"), 3L));
    assertThat(number(iterator.next(never))).isEqualTo(1);
    assertFails(iterator.next(never), StatusCode.DATA_LOSS);
    assertThat(number(iterator.next(never))).isEqualTo(3);
  }

  @Test
  void elementOfACancelledCaller_isTheNextOnes() {
    Fed fed = begun();
    Cancellation cancellation = new Cancellation();
    var cancelled = iterator.next(cancellation);
    cancellation.cancel();
    assertFails(cancelled, StatusCode.CANCELLED);
    fed.elements.add(1L);
    assertThat(number(iterator.next(never))).isEqualTo(1);
    Cancellation before = new Cancellation();
    before.cancel();
    assertFails(iterator.next(before), StatusCode.CANCELLED);
    fed.elements.add(2L);
    assertThat(number(iterator.next(never))).isEqualTo(2);
  }

  @Test
  void beginAnew_givesThoseWhoWaitTheNewElements() {
    begun();
    var waiting = iterator.next(never);
    Fed second = begun();
    second.elements.add(7L);
    assertThat(number(waiting)).isEqualTo(7);
  }

  @Test
  void close_failsThoseWhoWait_andLaterCallers() {
    begun();
    var waiting = iterator.next(never);
    iterator.close();
    iterator.close();
    assertFails(waiting, StatusCode.CANCELLED);
    assertFails(iterator.next(never), StatusCode.FAILED_PRECONDITION);
    assertThatThrownBy(this::begun).hasMessageContaining("the iterator i was deleted");
  }

  @Test
  void nextBeforeTheBegin_isRefused() {
    assertFails(iterator.next(never), StatusCode.FAILED_PRECONDITION);
  }

  @Test
  void datasetOfOtherElements_isRefused() {
    SessionIterator strings =
        new SessionIterator(
            "", "s", new ElementTypes(List.of(DataType.STRING), List.of(Shape.SCALAR)));
    assertThatThrownBy(() -> strings.begin(new Fed(), StepContext.standalone()))
        .hasMessage("Data type mismatch at component 0: expected string but got int64.");
    SessionIterator vectors =
        new SessionIterator(
            "", "v", new ElementTypes(List.of(DataType.INT64), List.of(Shape.of(2))));
    assertThatThrownBy(() -> vectors.begin(new Fed(), StepContext.standalone()))
        .hasMessageContaining("Incompatible shapes at component 0");
  }
}
