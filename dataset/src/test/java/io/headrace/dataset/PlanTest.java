package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.graph.Images;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlanTest {
  @Test
  void toString_ofAPipeline_hasALineForEachStage() {
    Dataset dataset =
        Dataset.files("/data/*.tfrecord")
            .shuffled(Shuffle.seed(3))
            .records()
            .map(r -> Images.toFloat(Images.decodeJpeg(r, 3)), Dataset.AUTOTUNE)
            .batch(128, Dataset.DROP_REMAINDER)
            .prefetch();

    assertThat(dataset.toString().lines().map(line -> line.replaceAll(" {2,}", "  ")))
        .containsExactly(
            "tensor_slice(components=matching_files(\"/data/*.tfrecord\"))  string[]",
            "shuffle(buffer_size=ALL, seed=87654321, seed2=3)  string[]",
            "parallel_interleave(cycle_length=4, block_length=16, num_parallel_calls=AUTOTUNE)"
                + "  string[]",
            "  > tfrecord(filenames=args_0)  string[]",
            "parallel_map(num_parallel_calls=AUTOTUNE) { DecodeJpeg, Cast, Mul }  float[?,?,3]",
            "batch(batch_size=128, drop_remainder=true)  float[128,?,?,3]",
            "prefetch(buffer_size=AUTOTUNE)  float[128,?,?,3]");
  }

  @Test
  void toString_ofSeveralInputs_indentsThem() {
    Dataset dataset =
        Dataset.zip(Dataset.range(5).map(x -> x.mul(2)), Dataset.textLines("a.txt")).take(3);

    assertThat(dataset.toString().lines().map(line -> line.replaceAll("(?<! ) {2,}", "  ")))
        .containsExactly(
            "- range(start=0, stop=5, step=1)  int64[]",
            "  map() { Mul }  int64[]",
            "- text_line(filenames=\"a.txt\")  string[]".replace("\"a.txt\"", "[\"a.txt\"]"),
            "zip()  (int64[], string[])",
            "take(count=3)  (int64[], string[])");
  }

  @Test
  void explain_tellsHowFunctionsRun() {
    Dataset dataset =
        Dataset.range(5)
            .map(x -> x.cast(DataType.FLOAT32).div(255f).sub(0.5))
            .filter(x -> Ops.randomUniform(0, 1).less(x));

    assertThat(dataset.explain())
        .contains("{ Cast, RealDiv, Sub }")
        .contains("-- rows together, as columns, 3 of 3 ops in a fused loop")
        .containsPattern("-- row by row: RandomUniform \\(node \\w+\\) has state");
    assertThat(dataset.toString()).doesNotContain("--");
  }

  @Test
  void explain_ofLargeRows_saysThatTheyRunOneByOne() {
    assertThat(Dataset.range(5).batch(2000, Dataset.DROP_REMAINDER).map(x -> x.mul(2)).explain())
        .contains("-- row by row: a row has 16,000 bytes");
  }

  @Test
  void explain_namesKernelsThatTakeOneRowAtATime() {
    assertThat(
            Dataset.listFiles("/data/*.jpg")
                .map(f -> Images.decodeJpeg(Ops.readFile(f), 3).mul(2))
                .explain())
        .containsPattern("-- rows together, as columns, but for .*DecodeJpeg");
  }

  @Test
  void explain_ofADatasetThatIsReadTwice_writesItsStagesOnce() {
    Dataset shared = Dataset.range(5).map(x -> x.mul(2));

    assertThat(Dataset.zip(shared, shared).explain()).containsOnlyOnce("range(");
  }

  @Test
  void toString_ofADatasetWithinAFunction_tellsItsElements() {
    List<String> texts = new ArrayList<>();
    Dataset.range(3)
        .flatMap(x -> {
          Dataset inner = Dataset.range(x);
          texts.add(inner.toString());
          return inner;
        })
        .stream()
        .close();

    assertThat(texts).containsExactly("a dataset within a function, of int64[]");
  }

  @Test
  void toString_ofComposedDatasets_namesTheirStages() {
    Dataset buckets =
        Dataset.range(9)
            .map(Ops::range)
            .bucketBySequenceLength(
                x -> x.output().shapeTensor().at(0), Buckets.of(new long[] {3}, new long[] {2, 2}));

    assertThat(buckets.toString()).contains("group_by_window(").contains("  > padded_batch(");
    assertThat(Dataset.range(7).window(Window.of(3)).toString()).contains("window(size=3, shift=3");
    assertThat(Dataset.fromIterable(TypedDatasetTest.Single.class, List.of()).toString())
        .isEqualTo("headrace_iterable()  {value: int32[]}");
  }
}
