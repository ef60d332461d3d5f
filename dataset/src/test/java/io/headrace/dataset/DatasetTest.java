package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DatasetTest {
  @Test
  void range_givesItsNumbers() {
    assertThat(longs(Dataset.range(2, 9, 3))).containsExactly(2L, 5L, 8L);
  }

  @Test
  void map_appliesItsLambdaToEachElement() {
    assertThat(longs(Dataset.range(4).map(x -> x.mul(2).add(1)))).containsExactly(1L, 3L, 5L, 7L);
  }

  @Test
  void map_toSeveralComponents_nestsThem() {
    Dataset pairs = Dataset.range(2).map(x -> List.of(x, x.neg()));

    assertThat(elements(pairs).get(1).get(1).asLong()).isEqualTo(-1);
    assertThat(longs(pairs.map((x, negative) -> x.sub(negative)))).containsExactly(0L, 2L);
  }

  @Test
  void map_toAMap_givesElementsWithNames() {
    Dataset named = Dataset.range(2).map(x -> Map.of("x", x, "double", x.add(x)));

    assertThat(elements(named).get(1).get("double").asLong()).isEqualTo(2);
    assertThat(longs(named.mapElement(e -> e.get("x").output()))).containsExactly(0L, 1L);
  }

  @Test
  void filter_keepsWhatItsConditionHoldsFor() {
    assertThat(longs(Dataset.range(6).filter(x -> x.floorMod(2).equalTo(0))))
        .containsExactly(0L, 2L, 4L);
  }

  @Test
  void batch_stacksElements() {
    List<Element> batches = elements(Dataset.range(5).batch(2));

    assertThat(batches.get(1).tensor().longs()).startsWith(2, 3);
    assertThat(batches.get(2).tensor().shape()).isEqualTo(Shape.of(1));
  }

  @Test
  void batch_ofDifferentShapes_failsNamingTheNode() {
    assertThatThrownBy(() -> elements(Dataset.range(3).batch(2).batch(2)))
        .hasMessageMatching(
            "node \\S+ \\(op \\w*BatchDataset\\w*\\): Cannot batch tensors with different shapes in"
                + " component 0. First element had shape \\[2] and element 1 had shape \\[1]\\."
                + " paddedBatch pads them, and raggedBatch takes them as they are\\.");
  }

  @Test
  void batch_ofImagesOfDifferentSizes_saysThatTheyAreToBeResized() {
    Dataset images =
        Dataset.range(1, 3, 1)
            .map(side -> Ops.fill(Ops.stack(List.of(side, side, side.mul(0).add(3)), 0), side));

    assertThatThrownBy(() -> elements(images.batch(2)))
        .hasMessageContaining("Images of different sizes are resized before (Images.resize, or");
  }

  @Test
  void batch_droppingTheRemainder_hasAKnownShape() {
    Dataset batches = Dataset.range(5).batch(2, Dataset.DROP_REMAINDER);

    assertThat(batches.structure().shapes()).containsExactly(Shape.of(2));
    assertThat(elements(batches)).hasSize(2);
  }

  @Test
  void flatMap_readsTheDatasetOfEachElement() {
    assertThat(longs(Dataset.range(4).flatMap(x -> Dataset.range(x))))
        .containsExactly(0L, 0L, 1L, 0L, 1L, 2L);
  }

  @Test
  void flatMap_canUseItsElementInsideAnInnerLambda() {
    assertThat(longs(Dataset.range(3).flatMap(x -> Dataset.range(2).map(y -> y.add(x.mul(10))))))
        .containsExactly(0L, 1L, 10L, 11L, 20L, 21L);
  }

  @Test
  void cond_runsOneOfItsBranches() {
    Dataset numbers =
        Dataset.range(4)
            .map(x ->
                Ops.cond(x.greater(1), () -> List.of(x.neg()), () -> List.of(x.mul(10)))
                    .getFirst());

    assertThat(longs(numbers)).containsExactly(0L, 10L, -2L, -3L);
  }

  /** Stock TensorFlow's draws for these seeds, one for each time that the branch runs. */
  @Test
  void cond_drawingRandomNumbers_drawsThemInTheOrderOfTheElements() {
    Dataset drawn =
        Dataset.range(9)
            .map(x ->
                Ops.cond(
                    x.floorMod(2).equalTo(0),
                    () -> List.of(Ops.randomUniform(7, 8)),
                    () -> List.of(Ops.constant(-1f))));

    assertThat(elements(drawn).stream().map(e -> e.components().getFirst().floats()[0]))
        .containsExactly(
            0.26653457f, -1f, 0.3934579f, -1f, 0.39030766f, -1f, 0.5275284f, -1f, 0.013972402f);
  }

  @Test
  void datasetsThatALambdaPassesOn_stayDatasets() {
    Dataset windows = Dataset.range(5).window(Window.of(2)).map(x -> Map.of("all", x));

    assertThat(windows.structure()).hasToString("{all: Dataset<int64[]>}");
    assertThat(longs(windows.flatMapElement(window -> window.get("all").dataset())))
        .containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void zipAndEnumerate_lineUp() {
    Dataset zipped = Dataset.zip(Dataset.range(3), Dataset.range(10, 20, 1).enumerate(5));

    Element last = elements(zipped).getLast();
    assertThat(last.get(1).get(0).asLong()).isEqualTo(7);
    assertThat(last.get(1).get(1).asLong()).isEqualTo(12);
  }

  @Test
  void takeSkipRepeatShardConcatenate_cutTheSequence() {
    Dataset numbers =
        Dataset.range(10).skip(2).take(6).shard(2, 1).repeat(2).concatenate(Dataset.range(1));

    assertThat(longs(numbers)).containsExactly(3L, 5L, 7L, 3L, 5L, 7L, 0L);
  }

  @Test
  void shuffle_withASeed_isTensorFlowsOrder() {
    assertThat(longs(Dataset.range(10).shuffle(5, 7)))
        .containsExactly(2L, 4L, 0L, 3L, 8L, 1L, 6L, 5L, 7L, 9L);
  }

  @Test
  void tensorSlices_giveTheSlices() {
    Dataset slices = Dataset.tensorSlices(Tensor.vector(1L, 2, 3), Tensor.vector("a", "b", "c"));

    assertThat(elements(slices).get(2).get(1).tensor().string(0)).asString().isEqualTo("c");
  }

  @Test
  void iterator_closedEarly_hasNoMore() {
    ElementIterator numbers = Dataset.range(1_000_000).iterator();
    numbers.next();

    numbers.close();

    assertThat(numbers.hasNext()).isFalse();
  }

  @Test
  void chunks_giveWholeColumns() {
    try (ChunkReader reader = Dataset.range(1000).chunks()) {
      long rows = 0;
      for (Chunk chunk = reader.next(); chunk != null; chunk = reader.next()) {
        rows += chunk.rows();
      }
      assertThat(rows).isEqualTo(1000);
    }
  }

  @Test
  void map_withDtypesThatDiffer_isRefusedWhenItIsDefined() {
    assertThatThrownBy(() -> Dataset.range(2).map(x -> x.add(Ops.constant(1f))))
        .hasMessageContaining("input 1 of op AddV2 must be int64, as input 0 is, and is float")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void map_withTheWrongNumberOfParameters_saysHowMany() {
    assertThatThrownBy(() -> Dataset.range(2).map((x, y) -> x))
        .hasMessageContaining("takes 2 components and the element has 1");
  }

  @Test
  void ops_outsideOfALambda_areRefused() {
    assertThatThrownBy(() -> Ops.constant(1L)).hasMessageContaining("while a graph is built");
  }

  @Test
  void toGraphDef_endsInTheResult() {
    var graph = Dataset.range(3).map(x -> x.add(1)).toGraphDef();

    assertThat(graph.getNode(graph.getNodeCount() - 1).getOp()).isEqualTo("_Retval");
    assertThat(graph.getLibrary().getFunctionCount()).isEqualTo(1);
  }

  private static List<Element> elements(Dataset dataset) {
    List<Element> all = new ArrayList<>();
    dataset.forEach(all::add);
    return all;
  }

  private static List<Long> longs(Dataset dataset) {
    return elements(dataset).stream().map(Element::asLong).toList();
  }
}
