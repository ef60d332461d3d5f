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
  void address_ofAPage_isRefusedWithWhatItShouldBe() {
    assertThatThrownBy(() -> GrpcTargets.address("http://host:8080"))
        .hasMessageEndingWith(
            "a target is [grpc://]HOST:PORT, with the port of the service, and not that of its"
                + " pages");
  }

  @Test
  void address_withoutAHost_isRefused() {
    assertThatThrownBy(() -> GrpcTargets.address("grpc://"))
        .hasMessageContaining("\"grpc://\" names no host")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThatThrownBy(() -> GrpcTargets.address(":5050"))
        .hasMessageContaining("\":5050\" names no host");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "grpc://localhost", "grpc://localhost:", "grpc://[::1]"})
  void address_withoutAPort_isRefused(String target) {
    assertThatThrownBy(() -> GrpcTargets.address(target))
        .hasMessage("\"" + target + "\" has no port; it should be [grpc://]HOST:PORT")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "0", "-1", "65536"})
  void address_withAPortThatIsNone_isRefusedWithIt(String port) {
    assertThatThrownBy(() -> GrpcTargets.address("grpc://localhost:" + port))
        .hasMessageContaining(
            "has the port \"%s\", and a port is a number from 1 to 65535".formatted(port))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[::1]:5050", "10.0.0.7:65535", "trainer-0.ns.svc:1"})
  void address_withAPort_isItself(String address) {
    assertThat(GrpcTargets.address(address)).isEqualTo(address);
  }
}
