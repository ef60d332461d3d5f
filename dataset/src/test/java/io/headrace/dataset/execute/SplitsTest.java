package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.SourceFile;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.dataset.execute.pass.SplitSource.Kind;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.dataset.execute.transform.UnbatchDataset;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two passes that share the splits of one dataset's sources. */
final class SplitsTest {
  @Test
  void splitSources_areTheLeavesFromLeftToRight() {
    Dataset range = Dataset.range(3, 10, 3);
    Dataset slices = slices().map(x -> x.add(1L));

    assertThat(
            load(Dataset.zip(range, slices).concatenate(Dataset.zip(slices, range))).splitSources())
        .extracting(SplitSource::kind, SplitSource::first, SplitSource::step, SplitSource::count)
        .containsExactly(
            tuple(Kind.PROGRESSION, 3L, 3L, 3L),
            tuple(Kind.PROGRESSION, 0L, 1L, 4L),
            tuple(Kind.PROGRESSION, 0L, 1L, 4L),
            tuple(Kind.PROGRESSION, 3L, 3L, 3L));
  }

  @Test
  void splitSources_behindAFlatMap_areGrouped() {
    Dataset flat = Dataset.range(3).flatMap(x -> Dataset.range(2)).batch(2);

    assertThat(load(flat.concatenate(Dataset.range(3).batch(2))).splitSources())
        .extracting(SplitSource::grouped)
        .containsExactly(true, false);
    DatasetValue pairs = load(Dataset.range(4).batch(2));
    assertThat(new UnbatchDataset(pairs, RowLambda.INT64).splitSources())
        .extracting(SplitSource::grouped)
        .containsExactly(true);
  }

  @Test
  void fingerprint_isThatOfTheContents() {
    assertThat(fingerprint(Dataset.range(0, 10, 2))).isEqualTo(fingerprint(Dataset.range(0, 9, 2)));
    assertThat(
            Stream.of(
                    Dataset.range(0, 10, 2),
                    Dataset.range(0, 11, 2),
                    Dataset.range(1, 10, 2),
                    slices(),
                    Dataset.tensorSlices(Tensor.vector(new long[] {4, 3, 2, 2})),
                    Dataset.tensorSlices(Tensor.vector(4, 3, 2, 1)),
                    Dataset.tensorSlices(Tensor.vector("a", "bc")),
                    Dataset.tensorSlices(Tensor.vector("ab", "c")),
                    Dataset.tensorSlices(Tensor.vector(1f, 2f)),
                    Dataset.tensors(Tensor.vector(1f, 2f)),
                    Dataset.tensors(Tensor.vector(1f, 3f)))
                .map(SplitsTest::fingerprint))
        .doesNotHaveDuplicates();
    assertThat(fingerprint(slices())).isEqualTo(fingerprint(slices().map(x -> x.add(1L)).batch(2)));
  }

  @Test
  void fingerprint_ofFiles_changesWithEachOfThem(@TempDir Path directory) throws IOException {
    Path first = Files.writeString(directory.resolve("a"), "one");
    Path second = Files.writeString(directory.resolve("b"), "two");
    SplitSource files = filesSource(first, second);
    long before = files.fingerprint(SourceFile.of(files.files()));
    assertThat(files.fingerprint(SourceFile.of(files.files()))).isEqualTo(before);

    Files.setLastModifiedTime(second, FileTime.fromMillis(1_000_000));
    long touched = files.fingerprint(SourceFile.of(files.files()));
    Files.writeString(second, "longer");
    Files.setLastModifiedTime(second, FileTime.fromMillis(1_000_000));
    long longer = files.fingerprint(SourceFile.of(files.files()));
    Files.delete(second);
    long gone = files.fingerprint(SourceFile.of(files.files()));

    assertThat(List.of(before, touched, longer, gone)).doesNotHaveDuplicates();
  }

  private static SplitSource filesSource(Path... files) {
    Tensor names = Tensor.vector(Stream.of(files).map(Path::toString).toArray(String[]::new));
    Chunk rows = Chunk.of(files.length, List.of(new Column.Stacked(names)));
    ElementSpec spec = new ElementSpec("files", List.of(DataType.STRING), List.of(Shape.SCALAR));
    DatasetValue listed = new InMemoryDataset(List.of(rows), spec, InMemoryDataset.Use.SPLIT_FILES);
    return listed.splitSources().getFirst();
  }

  private static long fingerprint(Dataset dataset) {
    return load(dataset).splitSources().getFirst().fingerprint();
  }

  @Test
  void splitSources_filesInNoDataset_areRefused() {
    assertThatThrownBy(() -> load(Dataset.textLines("a", "b")).splitSources())
        .hasMessageContaining("put what it reads");
  }

  static Stream<Dataset> pipelines() {
    return Stream.of(
        Dataset.range(50),
        Dataset.range(7, -20, -3).map(x -> x.mul(2L)),
        slices().repeat(3),
        Dataset.range(10).map(x -> x.add(1L)).repeat(2).shuffle(4, 1),
        Dataset.tensors(Tensor.scalar(8L)).repeat(5),
        Dataset.range(20).flatMap(x -> Dataset.range(2).map(y -> x.mul(10L).add(y))),
        Dataset.range(20).interleave(x -> Dataset.range(3), Interleave.cycle(3).parallel(2)),
        Dataset.range(20).filter(x -> x.floorMod(3L).equalTo(0L)).prefetch(2),
        Dataset.range(5).concatenate(slices()).concatenate(Dataset.range(3)),
        Dataset.range(30).batch(1).map(x -> x.squeeze(0)));
  }

  @ParameterizedTest
  @MethodSource("pipelines")
  void twoPasses_giveEachElementOnce(Dataset pipeline) {
    DatasetValue dataset = load(pipeline);
    List<Long> all = new ArrayList<>();
    try (ChunkIterator whole = dataset.iterator(PassReader.context())) {
      while (take(whole, all)) {}
    }
    List<SharedSplits> shared = dataset.splitSources().stream().map(SharedSplits::new).toList();

    List<Long> first = new ArrayList<>();
    List<Long> second = new ArrayList<>();
    try (ChunkIterator one = dataset.iterator(PassReader.context().withSplits(providers(shared)));
        ChunkIterator two = dataset.iterator(PassReader.context().withSplits(providers(shared)))) {
      boolean more = true;
      while (more) {
        boolean oneHasMore = take(one, first);
        more = take(two, second) || oneHasMore;
      }
    }

    List<Long> both = new ArrayList<>(first);
    both.addAll(second);
    assertThat(both).containsExactlyInAnyOrderElementsOf(all);
    assertThat(all).isNotEmpty();
  }

  @Test
  void slices_givenASplitThatThereIsNot_isRefused() {
    DatasetValue dataset = load(slices());
    SharedSplits wrong = new SharedSplits(SplitSource.ofRows(5, 0));

    try (ChunkIterator pass =
        dataset.iterator(PassReader.context().withSplits(providers(List.of(wrong))))) {
      assertThatThrownBy(
              () -> {
                while (take(pass, new ArrayList<>())) {}
              })
          .hasMessageContaining("there are 4 splits, and split 4 is given");
    }
  }

  private static Dataset slices() {
    return Dataset.tensorSlices(Tensor.vector(new long[] {4, 3, 2, 1}));
  }

  private static DatasetValue load(Dataset dataset) {
    return DatasetGraph.read(dataset.toGraphDef())
        .load(OpRegistry.standard(), StepContext.standalone());
  }

  private static boolean take(ChunkIterator pass, List<Long> values) {
    Chunk chunk = pass.next(3);
    for (int i = 0; chunk != null && i < chunk.rows(); i++) {
      values.add(chunk.row(i).getFirst().integer(0));
    }
    return chunk != null;
  }

  private static List<SplitProvider> providers(List<SharedSplits> shared) {
    return shared.stream().map(SharedSplits::provider).toList();
  }

  /** The splits of one source, provided to several passes, as a dispatcher does. */
  private static final class SharedSplits {
    private final SplitSource source;
    private long repetition;
    private long next;

    SharedSplits(SplitSource source) {
      this.source = source;
    }

    SplitProvider provider() {
      return new SplitProvider() {
        private long asked;

        @Override
        public @Nullable SplitRun next(long max) {
          return take(asked, Math.min(max, 2));
        }

        @Override
        public void reset() {
          asked++;
        }
      };
    }

    private synchronized @Nullable SplitRun take(long asked, long max) {
      if (asked < repetition) {
        return null;
      }
      if (asked > repetition) {
        repetition = asked;
        next = 0;
      }
      long count = Math.min(max, source.count() - next);
      if (count == 0) {
        repetition++;
        next = 0;
        return null;
      }
      SplitRun run =
          new SplitRun(source.first() + next * source.step(), source.step(), count, next);
      next += count;
      return run;
    }
  }
}
