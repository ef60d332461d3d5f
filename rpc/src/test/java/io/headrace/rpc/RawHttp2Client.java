package io.headrace.rpc;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headrace.proto.data.DispatcherServiceGrpc;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;

/** A peer that writes HTTP/2 frame by frame, as gRPC's clients would not. */
final class RawHttp2Client implements AutoCloseable {
  /** Frames between two looks at the replies, few enough not to fill the socket's buffers. */
  static final int BURST = 500;

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int CANCEL = 8;

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private int nextStream = 1;

  /** A frame from the server. */
  private record Frame(int type, int flags, int stream) {}

  private RawHttp2Client(Socket socket) throws IOException {
    this.socket = socket;
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
    in = new DataInputStream(socket.getInputStream());
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    frame(SETTINGS, 0, 0);
  }

  static RawHttp2Client connect(int port) throws IOException {
    return new RawHttp2Client(new Socket("localhost", port));
  }

  /** Begins a call and cancels it at once. */
  void reset() throws IOException {
    int stream = begin();
    frame(RST_STREAM, 0, stream, 0, 0, 0, CANCEL);
  }

  /** Begins a call and makes the server cancel it, by a frame that it may not get. */
  void provokeReset() throws IOException {
    int stream = begin();
    frame(WINDOW_UPDATE, 0, stream, 0, 0, 0, 0);
  }

  void ping() throws IOException {
    frame(PING, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);
  }

  /** Makes a call of GetVersion and waits for its end. */
  void call() throws IOException {
    int stream = begin();
    frame(DATA, END_STREAM, stream, 0, 0, 0, 0, 0);
    out.flush();
    Frame last = read();
    while (last.type != HEADERS || last.stream != stream || (last.flags & END_STREAM) == 0) {
      last = read();
    }
  }

  /** Waits for the answer to a ping; throws an EOFException if the server ends the connection. */
  void await() throws IOException {
    ping();
    out.flush();
    Frame answer = read();
    while (answer.type != PING || answer.flags != ACK) {
      answer = read();
    }
  }

  /** Sends what was written, and reads what has arrived. */
  void exchange() throws IOException {
    out.flush();
    while (in.available() > 0) {
      read();
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private int begin() throws IOException {
    var headers = new ByteArrayOutputStream();
    headers.write(0x83); // :method POST
    headers.write(0x86); // :scheme http
    indexed(headers, 4, "/" + DispatcherServiceGrpc.getGetVersionMethod().getFullMethodName());
    indexed(headers, 1, "localhost"); // :authority
    headers.write(0x0f); // content-type: 15 and 16
    indexed(headers, 16, "application/grpc");
    headers.write(0);
    string(headers, "te");
    string(headers, "trailers");
    int stream = nextStream;
    nextStream += 2;
    frame(HEADERS, END_HEADERS, stream, headers.toByteArray());
    return stream;
  }

  /** Writes a header with the name of HPACK's static table. */
  private static void indexed(ByteArrayOutputStream headers, int name, String value) {
    headers.write(name);
    string(headers, value);
  }

  private static void string(ByteArrayOutputStream headers, String text) {
    headers.write(text.length());
    headers.writeBytes(text.getBytes(US_ASCII));
  }

  private void frame(int type, int flags, int stream, int... payload) throws IOException {
    byte[] bytes = new byte[payload.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) payload[i];
    }
    frame(type, flags, stream, bytes);
  }

  private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    out.write(payload.length >> 16);
    out.writeShort(payload.length);
    out.write(type);
    out.write(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  private Frame read() throws IOException {
    int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
    Frame frame = new Frame(in.readUnsignedByte(), in.readUnsignedByte(), in.readInt());
    in.skipNBytes(length);
    if (frame.type == GOAWAY) {
      throw new EOFException("the server ends the connection");
    }
    return frame;
  }

  /** Whether {@code failure} says that the server ended the connection. */
  static boolean isEnd(IOException failure) {
    return failure instanceof EOFException || failure instanceof SocketException;
  }
}
