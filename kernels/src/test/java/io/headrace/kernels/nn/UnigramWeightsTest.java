package io.headrace.kernels.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The weights in files of vocabularies, which stock TensorFlow reads the same way. */
final class UnigramWeightsTest {
  @TempDir private Path folder;

  private FixedUnigrams read(String content, int range, int shards, int shard) throws IOException {
    Path file = Files.writeString(folder.resolve("words.csv"), content);
    AttrValue name = AttrValue.newBuilder().setS(ByteString.copyFromUtf8(file.toString())).build();
    return UnigramWeights.ofFile(
        attrs(
            Map.of(
                "vocab_file", name,
                "range_max", number(range),
                "num_shards", number(shards),
                "shard", number(shard))));
  }

  private static Attrs attrs(Map<String, AttrValue> values) {
    Op op = FixedUnigramOps.ops(() -> 1).getFirst();
    return new Attrs("node", op, values);
  }

  private static AttrValue number(long value) {
    return AttrValue.newBuilder().setI(value).build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a,1\nb,2\nc,5\n",
        "1\r\n2\r\n5",
        "a,b,  1 \n2\n5\n",
        "a,1\n\nb,2\nc,5\n\n\n",
        "\r\n0x1\n2e0\r\r\n5",
      })
  void lastFieldOfEachLine_isAWeight(String content) throws IOException {
    FixedUnigrams sampler = read(content, 3, 1, 0);

    assertThat(sampler.probability(0)).isEqualTo(1f / 8);
    assertThat(sampler.probability(1)).isEqualTo(2f / 8);
    assertThat(sampler.probability(2)).isEqualTo(5f / 8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,1,\nb,2\n", "1\r2\n2\n", "1\n\r\r\n"})
  void lineWithoutWeight_isRefused(String content) {
    assertThatThrownBy(() -> read(content, 2, 1, 0))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Wrong vocabulary format at line: ");
  }

  @Test
  void linesOfOtherShards_areNotRead() throws IOException {
    FixedUnigrams sampler = read("a,1\nx\nc,3\n\n3\n", 2, 2, 0);

    assertThat(sampler.probability(0)).isEqualTo(0.25f);
    assertThat(sampler.probability(1)).isEqualTo(0.75f);
  }

  @Test
  void classesThatTakeTooMuchMemory_areRefusedBeforeTheyAreAllocated() {
    long range = Math.min(Integer.MAX_VALUE - 8, TensorLimit.maxBytes() / Float.BYTES);
    Attrs attrs =
        attrs(
            Map.of(
                "unigrams",
                AttrValue.newBuilder().setList(AttrValue.ListValue.newBuilder().addF(1)).build(),
                "range_max",
                number(range),
                "num_reserved_ids",
                number(range - 1)));

    assertThatThrownBy(() -> UnigramWeights.ofAttr(attrs))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
  }

  @Test
  void moreWeightsThanClasses_areRefused() {
    assertThatThrownBy(() -> read("1\n2\n3\n4", 3, 1, 0))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("range is 3 must be equal to weights size  4");
  }
}
