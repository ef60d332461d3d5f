package io.headrace.rpc;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.headrace.proto.headrace.ElementStreamGrpc;
import io.headrace.proto.headrace.ReadTaskRequest;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;

/** The ReadTask method with the marshallers of each end: bytes on the wire, chunks in memory. */
final class StreamMethod {
  /** The worker's end: it sends serialized messages. */
  static final MethodDescriptor<ReadTaskRequest, OutboundMessage> SERVER =
      OutboundMessage.answering(ElementStreamGrpc.getReadTaskMethod());

  /** The reader's end: it receives decoded messages. */
  static final MethodDescriptor<ReadTaskRequest, StreamMessage> CLIENT =
      ElementStreamGrpc.getReadTaskMethod().toBuilder(requests(), new Receiving()).build();

  private StreamMethod() {}

  private static Marshaller<ReadTaskRequest> requests() {
    return ElementStreamGrpc.getReadTaskMethod().getRequestMarshaller();
  }

  private static final class Receiving implements Marshaller<StreamMessage> {
    @Override
    public InputStream stream(StreamMessage message) {
      throw new UnsupportedOperationException("a reader receives frames and sends none");
    }

    /** Never throws: gRPC would end the call with a status that does not name the reason. */
    @Override
    public StreamMessage parse(InputStream stream) {
      try (stream) {
        return new FrameDecoder(InboundMessage.of(stream)).decode();
      } catch (IOException e) {
        return unreadable(new StatusException(StatusCode.DATA_LOSS, String.valueOf(e), e));
      } catch (StatusException e) {
        return unreadable(e);
      }
    }

    private static StreamMessage unreadable(StatusException failure) {
      return new StreamMessage.Unreadable(failure.in("a frame can't be read"));
    }
  }
}
