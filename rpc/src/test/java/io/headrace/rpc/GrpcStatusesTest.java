package io.headrace.rpc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.status.StatusPayload;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class GrpcStatusesTest {
  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"OK"},
      mode = EnumSource.Mode.EXCLUDE)
  void roundTrip_keepsCodeAndMessage(StatusCode code) {
    Status status = GrpcStatuses.toGrpc(new StatusException(code, "Dataset id 7 not found"));

    StatusException back = GrpcStatuses.fromGrpc(status.withCause(null).asRuntimeException());

    assertThat(back.code()).isEqualTo(code);
    assertThat(back).hasMessage("Dataset id 7 not found");
  }

  @Test
  void toGrpc_bug_isInternalAndHidesItsMessage() {
    Status status = GrpcStatuses.toGrpc(new IllegalStateException("a secret"));

    assertThat(status.getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(status.getDescription()).doesNotContain("secret");
  }

  @Test
  void toGrpc_longMessage_isCutAndSaysSo() {
    Status status = GrpcStatuses.toGrpc(StatusException.invalidArgument("%s", "x".repeat(5000)));

    assertThat(status.getDescription())
        .isEqualTo("x".repeat(GrpcStatuses.MAX_MESSAGE_BYTES) + " ... [truncated]");
  }

  @Test
  void truncate_charactersThatAHeaderEscapes_countAsEscaped() {
    assertThat(GrpcStatuses.truncate("\u00e9".repeat(1000)))
        .isEqualTo("\u00e9".repeat(512) + " ... [truncated]");
  }

  @Test
  void fromGrpc_streamRemoved_isUnavailable() {
    StatusException e =
        GrpcStatuses.fromGrpc(
            Status.UNKNOWN.withDescription("Stream removed").asRuntimeException());

    assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE);
  }

  /** The status of grpc-java if a connection breaks while a call starts on it. */
  @Test
  void fromGrpc_channelClosed_isUnavailable() {
    Status closed =
        Status.UNKNOWN.withDescription("channel closed").withCause(new ClosedChannelException());

    assertThat(GrpcStatuses.fromGrpc(closed.asRuntimeException()).code())
        .isEqualTo(StatusCode.UNAVAILABLE);
  }

  @Test
  void fromGrpc_unknownThatThePeerAnswered_staysUnknown() {
    Status answered = Status.UNKNOWN.withDescription("channel closed");

    assertThat(GrpcStatuses.fromGrpc(answered.asRuntimeException()).code())
        .isEqualTo(StatusCode.UNKNOWN);
  }

  @Test
  void fromGrpc_noDescription_namesTheCode() {
    StatusException e = GrpcStatuses.fromGrpc(Status.ABORTED.asException());

    assertThat(e).hasMessage("ABORTED");
  }

  /** The bytes are those of a stock worker whose session is not found. */
  @Test
  void answerable_hasPayloads_asTensorFlowWritesThem() {
    StatusException restarted =
        new StatusException(StatusCode.ABORTED, "not found")
            .with(StatusPayload.WORKER_POSSIBLY_RESTARTED);
    String name = "type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted";

    Metadata trailers =
        Objects.requireNonNull(Status.trailersFromThrowable(GrpcStatuses.answerable(restarted)));

    assertThat(trailers.get(GrpcStatuses.DETAILS))
        .isEqualTo(("\nN\nJ" + name + "\u0012\0").getBytes(US_ASCII));
  }

  @Test
  void roundTrip_keepsPayloads() {
    StatusException both =
        new StatusException(StatusCode.ABORTED, "over")
            .with(StatusPayload.DERIVED)
            .with(StatusPayload.WORKER_POSSIBLY_RESTARTED);

    StatusException back = GrpcStatuses.fromGrpc(GrpcStatuses.answerable(both));

    assertThat(back).matches(e -> e.has(StatusPayload.DERIVED));
    assertThat(back).matches(e -> e.has(StatusPayload.WORKER_POSSIBLY_RESTARTED));
    assertThat(back.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(
            GrpcStatuses.fromGrpc(
                GrpcStatuses.answerable(StatusException.of(StatusCode.ABORTED, "over"))))
        .matches(e -> !e.has(StatusPayload.DERIVED));
  }

  @Test
  void fromGrpc_detailsOfAnotherProtocol_areNone() {
    Metadata trailers = new Metadata();
    trailers.put(GrpcStatuses.DETAILS, new byte[] {1, 2, 3});

    StatusException e = GrpcStatuses.fromGrpc(Status.ABORTED.asRuntimeException(trailers));

    assertThat(e.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(e).matches(it -> !it.has(StatusPayload.DERIVED));
  }
}
