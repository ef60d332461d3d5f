package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Padding;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.LongStream;

/** A service with a named job whose readers share numbers. */
final class SharedNumbers {
  static final long N = 2_100;
  private static final int BATCH = 7;

  /** Large elements, so that no reader has all of them in flight. */
  private static final Shape PADDED = Shape.of(1 << 13);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private DispatchServer dispatcher;

  /** A service with one worker. */
  SharedNumbers() {
    dispatcher = DispatchServer.start(DispatcherConfig.defaults());
    opened.add(dispatcher);
    startWorker();
  }

  /** The dispatcher's address. */
  String address() {
    return dispatcher.address();
  }

  void startWorker() {
    opened.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
  }

  /** Starts another service, without the state of the previous one. */
  void startAnew(int workers) throws Exception {
    close();
    dispatcher = DispatchServer.start(DispatcherConfig.defaults());
    opened.add(dispatcher);
    for (int i = 0; i < workers; i++) {
      startWorker();
    }
  }

  static DistributeOptions named() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("epochs");
  }

  Reader read(DistributeOptions options) {
    Reader reader = new Reader(dataset(options));
    opened.add(reader);
    return reader;
  }

  /** The dataset of a reader, before its first pass. */
  Dataset dataset(DistributeOptions options) {
    String id =
        DataService.registerDataset(
            dispatcher.target(),
            Dataset.range(1, N + 1, 1).batch(BATCH).paddedBatch(1, false, Padding.to(PADDED)),
            ServiceCompression.AUTO,
            Optional.of("numbers"));
    return DataService.fromDatasetId(options, dispatcher.target(), id);
  }

  /** Reads to the end with a reader for each token, concurrently. */
  void readTogether(List<List<Long>> parts, List<Checkpoint> tokens) {
    List<CompletableFuture<List<Long>>> rests = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      rests.add(read(named().resumedFrom(tokens.get(i), i, tokens.size())).begin(Reader::rest));
    }
    rests.forEach(rest -> parts.add(rest.join()));
  }

  /** The numbers of an element. */
  static List<Long> numbers(Tensor batch) {
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < BATCH && batch.integer(i) > 0; i++) {
      numbers.add(batch.integer(i));
    }
    return numbers;
  }

  void close() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    opened.clear();
  }

  static void assertAll(List<? extends Collection<Long>> parts) {
    assertThat(parts.stream().flatMap(Collection::stream).sorted())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, N).boxed().toList());
  }

  static void assertReplaced(Reader reader) {
    assertThatThrownBy(reader::rest)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("took its place");
  }

  /** A reader, and the records that its user has taken in the current pass. */
  static final class Reader implements AutoCloseable {
    private final Dataset dataset;
    private ElementIterator elements;
    private List<Long> taken = new ArrayList<>();

    private Reader(Dataset dataset) {
      this.dataset = dataset;
      elements = dataset.iterator();
    }

    Reader take(int most) {
      for (int i = 0; i < most && elements.hasNext(); i++) {
        taken.addAll(numbers(elements.next().tensor()));
      }
      return this;
    }

    List<Long> rest() {
      return List.copyOf(take(Integer.MAX_VALUE).taken);
    }

    List<Long> taken() {
      return List.copyOf(taken);
    }

    /** Leaves this pass and starts the next one. */
    Reader nextPass() {
      elements.close();
      elements = dataset.iterator();
      taken = new ArrayList<>();
      return this;
    }

    Checkpoint checkpoint() {
      return elements.checkpoint();
    }

    /** Runs {@code action} on a thread of its own. */
    <R> CompletableFuture<R> begin(Function<Reader, R> action) {
      return CompletableFuture.supplyAsync(() -> action.apply(this), Thread.ofVirtual()::start);
    }

    @Override
    public void close() {
      elements.close();
    }
  }
}
