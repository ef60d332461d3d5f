package io.headrace.runtime.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import org.junit.jupiter.api.Test;

final class WrongHandleTest {
  @Test
  void of_aHandleThatAClientWrote_isNotFoundAndNamesTheResource() {
    ResourceHandleProto written =
        ResourceHandleProto.newBuilder().setContainer("localhost").setName("fifo_queue").build();

    StatusException error = WrongHandle.of(Tensor.resource(written), "queue");

    assertThat(error.code()).isEqualTo(StatusCode.NOT_FOUND);
    assertThat(error)
        .hasMessageContaining("Could not find resource: localhost/fifo_queue")
        .hasMessageContaining("The queue is in the process that made the graph");
  }

  @Test
  void of_aHandleOfAnotherResource_isInvalid() {
    StatusException error = WrongHandle.of(Tensor.resource("a table"), "queue");

    assertThat(error.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(error).hasMessage("the handle must be that of one queue, and is resource[]");
  }

  @Test
  void of_aTensorThatIsNoHandle_isInvalid() {
    assertThat(WrongHandle.of(Tensor.scalar(1L), "queue").code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
