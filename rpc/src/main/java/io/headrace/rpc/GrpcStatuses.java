package io.headrace.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.Metadata;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.status.StatusPayload;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Translates between {@link StatusException}s and gRPC statuses; the only place that does.
 *
 * <p>Outbound, a {@link StatusException} keeps its code and its message, truncated to fit a header.
 * Any other exception is a bug: it becomes INTERNAL, without its message. Inbound, code and message
 * are kept, except that "Stream removed" is UNAVAILABLE, as in TensorFlow, and so is a call that
 * ends because its connection breaks. Payloads travel in TensorFlow's form, in the trailer {@code
 * grpc-status-details-bin}.
 */
public final class GrpcStatuses {
  /** The size, percent-encoded as in a header, beyond which TensorFlow truncates a message. */
  static final int MAX_MESSAGE_BYTES = 3072;

  private static final String TRUNCATED = " ... [truncated]";
  private static final String STREAM_REMOVED = "Stream removed";

  /** A protobuf message whose field 1 maps the names of payloads to their values. */
  static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static final int PAYLOADS = 1;
  private static final int NAME = 1;
  private static final int VALUE = 2;

  private GrpcStatuses() {}

  /** The gRPC status for {@code failure}. */
  public static Status toGrpc(Throwable failure) {
    return switch (failure) {
      case StatusException e -> of(e.code(), message(e)).withCause(e);
      case StatusRuntimeException e -> e.getStatus();
      case io.grpc.StatusException e -> e.getStatus();
      default -> Status.INTERNAL.withDescription("internal error").withCause(failure);
    };
  }

  /**
   * {@code failure} in the form that a handler passes to gRPC; bugs stay unchanged, to be logged.
   */
  public static Throwable answerable(Throwable failure) {
    return failure instanceof StatusException e
        ? toGrpc(e).asRuntimeException(trailers(e))
        : failure;
  }

  /** The trailers for {@code failure}: its payloads. */
  static Metadata trailers(Throwable failure) {
    Metadata trailers = new Metadata();
    if (!(failure instanceof StatusException e)) {
      return trailers;
    }
    UnknownFieldSet.Field.Builder payloads = UnknownFieldSet.Field.newBuilder();
    for (StatusPayload payload : StatusPayload.values()) {
      if (e.has(payload)) {
        payloads.addLengthDelimited(
            UnknownFieldSet.newBuilder()
                .addField(NAME, bytes(ByteString.copyFromUtf8(payload.typeUrl())))
                .addField(VALUE, bytes(ByteString.EMPTY))
                .build()
                .toByteString());
      }
    }
    UnknownFieldSet.Field field = payloads.build();
    if (!field.getLengthDelimitedList().isEmpty()) {
      trailers.put(
          DETAILS, UnknownFieldSet.newBuilder().addField(PAYLOADS, field).build().toByteArray());
    }
    return trailers;
  }

  private static UnknownFieldSet.Field bytes(ByteString value) {
    return UnknownFieldSet.Field.newBuilder().addLengthDelimited(value).build();
  }

  /**
   * Wraps {@code service} so that its handlers may throw, or answer with, any exception: the caller
   * gets the exception's status. {@link GrpcServer} does this for its services; other servers need
   * this method.
   */
  public static ServerServiceDefinition translating(ServerServiceDefinition service) {
    return ServerInterceptors.intercept(service, new StatusInterceptor());
  }

  /**
   * The status of {@code failure}, thrown by a call on a channel. The gRPC exception is not kept as
   * its cause: if a handler answered with the result, gRPC would find the status of the cause and
   * use that.
   */
  public static StatusException fromGrpc(Throwable failure) {
    return switch (failure) {
      case StatusException e -> e;
      case StatusRuntimeException e -> withPayloads(fromStatus(e.getStatus()), e.getTrailers());
      case io.grpc.StatusException e -> withPayloads(fromStatus(e.getStatus()), e.getTrailers());
      default -> new StatusException(StatusCode.INTERNAL, "call failed: " + failure, failure);
    };
  }

  /** Whether a call failed, as its message tells, because nothing listens at the address. */
  public static boolean isRefused(Throwable failure) {
    return String.valueOf(failure.getMessage()).contains("Connection refused");
  }

  private static StatusException withPayloads(StatusException status, @Nullable Metadata trailers) {
    byte @Nullable [] details = trailers == null ? null : trailers.get(DETAILS);
    if (details == null) {
      return status;
    }
    StatusException result = status;
    Set<String> names = payloads(details);
    for (StatusPayload payload : StatusPayload.values()) {
      if (names.contains(payload.typeUrl())) {
        result = result.with(payload);
      }
    }
    return result;
  }

  /** The names of the payloads; empty if the details are in another format, such as Google's. */
  private static Set<String> payloads(byte[] details) {
    Set<String> names = new HashSet<>();
    try {
      for (ByteString entry : values(UnknownFieldSet.parseFrom(details), PAYLOADS)) {
        for (ByteString name : values(UnknownFieldSet.parseFrom(entry), NAME)) {
          names.add(name.toStringUtf8());
        }
      }
    } catch (InvalidProtocolBufferException _) {
      return Set.of();
    }
    return names;
  }

  private static List<ByteString> values(UnknownFieldSet message, int field) {
    return message.getField(field).getLengthDelimitedList();
  }

  private static StatusException fromStatus(Status status) {
    String message = describe(status);
    StatusCode code =
        message.equals(STREAM_REMOVED) || isBrokenConnection(status)
            ? StatusCode.UNAVAILABLE
            : StatusCode.ofNumber(status.getCode().value());
    return new StatusException(code, message);
  }

  /** gRPC reports UNKNOWN if a connection breaks just as a call starts on it. */
  private static boolean isBrokenConnection(Status status) {
    return status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof IOException;
  }

  private static String describe(Status status) {
    @Nullable String description = status.getDescription();
    @Nullable Throwable cause = status.getCause();
    String text = description == null ? status.getCode().name() : description;
    return cause == null || cause.getMessage() == null ? text : text + ": " + cause.getMessage();
  }

  private static Status of(StatusCode code, String message) {
    return Status.fromCodeValue(code.number()).withDescription(truncate(message));
  }

  private static String message(Throwable failure) {
    @Nullable String message = failure.getMessage();
    return message == null ? "" : message;
  }

  /** The message of the innermost cause of {@code failure}. */
  static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage());
  }

  /**
   * Truncates {@code message} where its percent-encoded form would exceed {@link
   * #MAX_MESSAGE_BYTES}.
   */
  static String truncate(String message) {
    int bytes = 0;
    for (int i = 0; i < message.length(); ) {
      int codePoint = message.codePointAt(i);
      bytes += headerBytes(codePoint);
      if (bytes > MAX_MESSAGE_BYTES) {
        return message.substring(0, i) + TRUNCATED;
      }
      i += Character.charCount(codePoint);
    }
    return message;
  }

  private static int headerBytes(int codePoint) {
    boolean plain = codePoint >= ' ' && codePoint <= '~' && codePoint != '%';
    return plain ? 1 : 3 * Character.toString(codePoint).getBytes(UTF_8).length;
  }
}
