package io.headrace.dispatcher.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Csv;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Field;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.SourceFileProto;
import io.headrace.proto.headrace.journal.SplitSource;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The words for a dataset, or for files, that differ from those of a token. */
final class DatasetOutlinesTest {
  private static DatasetOutline of(Dataset dataset) {
    return DatasetOutlines.of(
        DatasetDef.newBuilder().setGraph(dataset.toGraphDef()).build(), List.of());
  }

  private static String difference(Dataset now, Dataset before) {
    return DatasetOutlines.difference(of(now), of(before));
  }

  @Test
  void outline_goesFromTheSourceToTheResult_withoutWhatAffectsSpeedOnly() {
    Dataset dataset = Dataset.range(10).map(x -> x.mul(2)).prefetch(3).batch(2);

    assertThat(of(dataset).getOpsList())
        .hasSize(3)
        .startsWith("RangeDataset")
        .last()
        .asString()
        .startsWith("BatchDataset");
    assertThat(difference(Dataset.range(10).map(x -> x.mul(2)).batch(2), dataset)).isEmpty();
  }

  @Test
  void difference_namesTheFirstTransformationThatDiffers() {
    Dataset before = Dataset.range(10).map(x -> x.mul(2)).batch(2).take(3);

    assertThat(difference(Dataset.range(10).map(x -> x.mul(3)).batch(2).take(3), before))
        .matches(": number 2 from the source on is \\w*MapDataset\\w* in both, with another.*");
    assertThat(difference(Dataset.range(10).map(x -> x.mul(2)).batch(4).take(3), before))
        .matches(": number 3 from the source on is BatchDataset\\w* in both, with another.*");
    assertThat(difference(Dataset.range(10).map(x -> x.mul(2)).skip(1).batch(2), before))
        .matches(": number 3 from the source on is SkipDataset, and was BatchDataset\\w*");
    assertThat(difference(Dataset.range(10).map(x -> x.mul(2)).batch(2), before))
        .isEqualTo(": TakeDataset is missing, at the end");
    assertThat(difference(Dataset.range(10).map(x -> x.mul(2)).batch(2).take(3).skip(1), before))
        .isEqualTo(": SkipDataset is new, behind TakeDataset");
  }

  @Test
  void difference_inFilesOrTheirFormat_namesTheCalls() {
    Csv format = Csv.of(Field.int64("id"));
    Dataset before = Dataset.files("/data/a/*.csv").csv(format);

    assertThat(difference(Dataset.files("/data/b/*.csv").csv(format), before))
        .startsWith(
            ": number 1 from the source on is TensorSliceDataset (tensorSlices, or the names of"
                + " files) in both");
    assertThat(difference(Dataset.files("/data/a/*.csv").csv(format.delimitedBy(';')), before))
        .contains("(interleave, or the reading of files with its format) in both");
  }

  @Test
  void difference_fromATokenWithoutOutline_isNotTold() {
    assertThat(
            DatasetOutlines.difference(of(Dataset.range(10)), DatasetOutline.getDefaultInstance()))
        .isEmpty();
  }

  private static SourceFileProto file(String name, long size) {
    return SourceFileProto.newBuilder().setName(name).setSize(size).setModifiedMillis(7).build();
  }

  private static List<SplitSource> sources(SourceFileProto... files) {
    return List.of(SplitSource.newBuilder().addAllFiles(List.of(files)).build());
  }

  private static String changes(List<SplitSource> now, List<SplitSource> before) {
    DatasetDef range = DatasetDef.newBuilder().setGraph(Dataset.range(1).toGraphDef()).build();
    return DatasetOutlines.changedFiles(now, DatasetOutlines.of(range, before));
  }

  @Test
  void changedFiles_areNamed_andThoseThatAreGoneCounted() {
    List<SplitSource> before = sources(file("a", 1), file("b", 2), file("c", 3));

    assertThat(changes(before, before)).isEmpty();
    assertThat(changes(sources(file("a", 1), file("b", 5), file("c", 3)), before))
        .isEqualTo("1 changed: b; ");
    assertThat(changes(sources(file("a", 1), file("d", 2)), before))
        .isEqualTo("1 new: d; 2 that were there are gone; ");
    SourceFileProto[] many =
        IntStream.range(0, 5000).mapToObj(i -> file("f" + i, 1)).toArray(SourceFileProto[]::new);
    assertThat(changes(sources(many), before))
        .isEqualTo("5000 new: f0, f1, f2, ...; 3 that were there are gone; ");
    // A token has the first 1,024 files only.
    assertThat(changes(sources(file("new", 1), file("f9", 2)), sources(many)))
        .isEqualTo("1 changed: f9; ");
  }
}
