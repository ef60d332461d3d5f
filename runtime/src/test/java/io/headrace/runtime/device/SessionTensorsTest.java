package io.headrace.runtime.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Tensors kept by a session are found by their handles until they are deleted. */
final class SessionTensorsTest {
  private final SessionTensors tensors = new SessionTensors();

  @Test
  void keep_ofOneNodeTwice_givesTwoHandles() {
    String first = tensors.keep("node", Device.HOST, Tensor.scalar(1));
    String second = tensors.keep("node", Device.HOST, Tensor.scalar(2));

    assertThat(first).isEqualTo("node;0;" + Device.HOST.name());
    assertThat(tensors.get(first).integer(0)).isEqualTo(1);
    assertThat(tensors.get(second).integer(0)).isEqualTo(2);
  }

  @Test
  void delete_forgetsThatTensorOnly() {
    String first = tensors.keep("node", Device.HOST, Tensor.scalar(1));
    String second = tensors.keep("node", Device.HOST, Tensor.scalar(2));

    tensors.delete(first);

    assertThat(tensors.get(second).integer(0)).isEqualTo(2);
    assertRefused(() -> tensors.get(first), "The tensor with handle 'node;0;");
    assertRefused(() -> tensors.delete(first), "Failed to delete a tensor with handle 'node;0;");
  }

  private static void assertRefused(Runnable action, String message) {
    assertThatThrownBy(action::run)
        .hasMessageStartingWith(message)
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
