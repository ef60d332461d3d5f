package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * EncodeBase64 and DecodeBase64, in the URL-safe alphabet (RFC 4648, section 5). Padding is
 * optional on input.
 */
final class Base64Ops {
  private Base64Ops() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeBase64(input: string) -> output: string")
            .shape(ShapeFunctions.SAME)
            .kernel(_ -> new PerElement(input -> ByteStrings.map(input, Base64Ops::decodeBase64))),
        Op.define("EncodeBase64(input: string) -> output: string")
            .attrs("pad: bool = false")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> {
              Base64.Encoder url = Base64.getUrlEncoder();
              Base64.Encoder encoder = node.attrs().bool("pad") ? url : url.withoutPadding();
              return new PerElement(input -> ByteStrings.map(input, encoder::encode));
            }));
  }

  private static byte[] decodeBase64(byte[] text) {
    int size = text.length;
    // Padding is valid only where it completes the last group of four characters.
    if (size > 0 && size % 4 == 0 && text[size - 1] == '=') {
      size -= text[size - 2] == '=' ? 2 : 1;
    }
    boolean cut = size % 4 == 1;
    for (int i = 0; i < size - (cut ? 1 : 0); i++) {
      if (!isDigit(text[i])) {
        throw StatusException.invalidArgument("Invalid character found in base64.");
      }
    }
    if (cut) {
      throw StatusException.invalidArgument("Base64 string length cannot be 1 modulo 4.");
    }
    return decodeLeniently(Arrays.copyOf(text, size));
  }

  private static boolean isDigit(byte b) {
    return (b >= 'A' && b <= 'Z')
        || (b >= 'a' && b <= 'z')
        || (b >= '0' && b <= '9')
        || b == '-'
        || b == '_';
  }

  /** Decodes without checking that the unused bits of the last character are zero. */
  private static byte[] decodeLeniently(byte[] text) {
    int padding = (4 - text.length % 4) % 4;
    byte[] whole = Arrays.copyOf(text, text.length + padding);
    Arrays.fill(whole, text.length, whole.length, (byte) 'A');
    byte[] decoded = Base64.getUrlDecoder().decode(whole);
    return Arrays.copyOf(decoded, decoded.length - padding);
  }
}
