package io.headrace.kernels.protobuf;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.protobuf.util.JsonFormat;
import io.headrace.kernels.kit.ByteStrings;
import io.headrace.proto.tensorflow.Example;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;

/** DecodeJSONExample: tf.Examples in protobuf's JSON as serialized messages. */
final class DecodeJsonExampleOps {
  private DecodeJsonExampleOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeJSONExample(json_examples: string) -> binary_examples: string")
            .shape(ShapeFunctions.SAME)
            .stateless(DecodeJsonExampleOps::decode));
  }

  private static void decode(KernelCall call) {
    Tensor input = call.input(0);
    byte[][] examples = ByteStrings.allocate(input.shape());
    for (int i = 0; i < examples.length; i++) {
      call.cancellation().check();
      examples[i] = decode(ByteStrings.text(input.string(i)));
    }
    call.setOutput(0, Tensor.wrap(DataType.STRING, input.shape(), examples));
  }

  private static byte[] decode(String json) {
    Example.Builder example = Example.newBuilder();
    try {
      JsonFormat.parser().merge(json, example);
      checkEnd(json);
    } catch (IOException e) {
      throw invalidArgument("Error while parsing JSON: %s", String.valueOf(e.getMessage()));
    }
    return UnpackedExample.serialize(example.build());
  }

  /** Fails if there is more than one value; the parser reads no further than that. */
  private static void checkEnd(String json) throws IOException {
    JsonReader reader = new JsonReader(new StringReader(json));
    reader.skipValue();
    if (reader.peek() != JsonToken.END_DOCUMENT) {
      throw new IOException("there is more after the end of the object");
    }
  }
}
