package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "grpc://localhost",
        "grpc://localhost:",
        "grpc://:5050",
        "grpc://localhost:http",
        "grpc://localhost:0",
        "grpc://localhost:65536",
        "grpc://[::1]"
      })
  void address_withoutAPort_isRefused(String target) {
    assertThatThrownBy(() -> GrpcTargets.address(target))
        .hasMessageContaining(target)
        .hasMessageContaining("HOST:PORT")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[::1]:5050", "10.0.0.7:65535", "trainer-0.ns.svc:1"})
  void address_withAPort_isItself(String address) {
    assertThat(GrpcTargets.address(address)).isEqualTo(address);
  }
}
