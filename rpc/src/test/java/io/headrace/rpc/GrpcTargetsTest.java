package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import org.junit.jupiter.api.Test;

final class GrpcTargetsTest {
  @Test
  void address_grpcTarget_isWhatFollowsTheProtocol() {
    assertThat(GrpcTargets.address("grpc://host:5050")).isEqualTo("host:5050");
  }

  @Test
  void address_bareAddress_isItself() {
    assertThat(GrpcTargets.address("host:5050")).isEqualTo("host:5050");
  }

  @Test
  void address_otherProtocol_isNotFoundInTensorFlowsWords() {
    assertThatThrownBy(() -> GrpcTargets.address("carrier-pigeon://host:5050"))
        .hasMessageContaining("No credentials factory has been registered for protocol")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }

  @Test
  void address_nothingBehindTheProtocol_isRefused() {
    assertThatThrownBy(() -> GrpcTargets.address("grpc://"))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
