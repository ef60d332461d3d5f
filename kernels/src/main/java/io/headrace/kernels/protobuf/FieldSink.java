package io.headrace.kernels.protobuf;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;

/** Takes the values of one field of a message, in the order of the wire. */
interface FieldSink {
  /** The field. */
  ProtoField field();

  /** Reads a value. IOException if it is malformed. */
  void value(CodedInputStream in) throws IOException;

  /** Takes {@code packed}, values that stand together. IOException if they are malformed. */
  void packed(byte[] packed) throws IOException;
}
