package io.headrace.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import org.junit.jupiter.api.Test;

final class TensorMessageWriterTest {
  @Test
  void tensors_areWritten_upToWhatAMessageHolds() {
    TensorMessageWriter tensors = new TensorMessageWriter("the fetches", 12);
    Tensor two = Tensor.vector(1f, 2f);
    assertThat(TensorProtos.read(tensors.named("a:0", two).getTensor()).floats())
        .containsExactly(1, 2);
    assertThatThrownBy(() -> tensors.write("b:0", two))
        .hasMessage(
            "b:0, float[2], takes 8 bytes: with it the fetches take 16, and a message holds no more"
                + " than 12")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }
}
