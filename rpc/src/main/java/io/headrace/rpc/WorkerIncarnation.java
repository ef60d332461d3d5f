package io.headrace.rpc;

import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import org.jspecify.annotations.Nullable;

/**
 * The header by which a worker shows a dispatcher whose call it is: {@code
 * headrace-worker-incarnation}, 16 hexadecimal digits. A stock dispatcher ignores it.
 */
public final class WorkerIncarnation {
  private static final Metadata.Key<String> HEADER =
      Metadata.Key.of("headrace-worker-incarnation", Metadata.ASCII_STRING_MARSHALLER);

  private static final int HEX = 16;

  private WorkerIncarnation() {}

  /** Adds {@code incarnation} to a worker's calls. */
  public static ClientInterceptor marking(long incarnation) {
    Metadata headers = new Metadata();
    headers.put(HEADER, Long.toHexString(incarnation));
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }

  /** The incarnation that a call names; 0 if it names none. */
  public static long in(Metadata headers) {
    @Nullable String text = headers.get(HEADER);
    try {
      return text == null ? 0 : Long.parseUnsignedLong(text, HEX);
    } catch (NumberFormatException _) {
      return 0;
    }
  }
}
