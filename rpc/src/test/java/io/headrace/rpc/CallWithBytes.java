package io.headrace.rpc;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.stub.ClientCalls;
import io.headrace.proto.data.DispatcherServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** A unary call with an arbitrary byte string as its request. */
final class CallWithBytes implements MethodDescriptor.Marshaller<byte[]> {
  private static final MethodDescriptor<byte[], byte[]> GET_METADATA =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodType.UNARY)
          .setFullMethodName(
              DispatcherServiceGrpc.getGetDataServiceMetadataMethod().getFullMethodName())
          .setRequestMarshaller(new CallWithBytes())
          .setResponseMarshaller(new CallWithBytes())
          .build();

  private CallWithBytes() {}

  static byte[] make(ManagedChannel channel, byte[] request) {
    return ClientCalls.blockingUnaryCall(channel, GET_METADATA, CallOptions.DEFAULT, request);
  }

  @Override
  public InputStream stream(byte[] request) {
    return new ByteArrayInputStream(request);
  }

  @Override
  public byte[] parse(InputStream response) {
    try {
      return response.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
