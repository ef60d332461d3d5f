package io.headrace.rpc;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.headrace.proto.headrace.ElementStreamGrpc;
import io.headrace.proto.headrace.ReadTaskRequest;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;

/** The call of a stream, as each of its ends sees it: protobuf on the wire, chunks in our hands. */
final class StreamMethod {
  /** For workers: what is sent is serialized already. */
  static final MethodDescriptor<ReadTaskRequest, OutboundMessage> SERVER =
      OutboundMessage.answering(ElementStreamGrpc.getReadTaskMethod());

  /** For readers: what is received becomes chunks. */
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

    /** Never fails: the call would end with a status that says nothing of the reason. */
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
