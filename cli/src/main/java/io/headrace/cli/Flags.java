package io.headrace.cli;

import static java.util.stream.Collectors.joining;

import io.headrace.gpu.kernels.GpuSelection;
import io.headrace.runtime.status.StatusException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks flag values; each error names the flag, the value and the allowed values. */
final class Flags {
  private static final int MAX_PORT = 65_535;

  private Flags() {}

  /** A port, or 0 for any free port. */
  static int port(String flag, int value) {
    if (value < 0 || value > MAX_PORT) {
      throw StatusException.invalidArgument(
          "%s must be from 0 (any free port) to %d, not %d", flag, MAX_PORT, value);
    }
    return value;
  }

  /** A positive duration in milliseconds. */
  static Duration millis(String flag, long value) {
    if (value < 1) {
      throw StatusException.invalidArgument("%s must be 1 ms or more, not %d", flag, value);
    }
    return Duration.ofMillis(value);
  }

  /** An integer of at least 1. */
  static long positive(String flag, long value) {
    if (value < 1) {
      throw StatusException.invalidArgument("%s must be 1 or more, not %d", flag, value);
    }
    return value;
  }

  /** A duration in milliseconds, at least 0. */
  static Duration millisOrNone(String flag, long value) {
    if (value < 0) {
      throw StatusException.invalidArgument("%s must be 0 ms or more, not %d", flag, value);
    }
    return Duration.ofMillis(value);
  }

  /** A duration in milliseconds; a negative value means never. */
  static Duration millisOrNever(String flag, long value) {
    return value < 0 ? Duration.ofMillis(-1) : millis(flag, value);
  }

  /** A positive number of bytes, if given. */
  static Optional<Long> bytes(String flag, Optional<Long> value) {
    return value.map(bytes -> bytes(flag, bytes));
  }

  /** A positive number of bytes. */
  static long bytes(String flag, long value) {
    if (value < 1) {
      throw StatusException.invalidArgument("%s must be 1 byte or more, not %d", flag, value);
    }
    return value;
  }

  /** The protocol of servers; only grpc is supported. */
  static String protocol(String flag, String value) {
    return oneOf(flag, value, List.of("grpc"));
  }

  /** One of {@code choices}, of which the empty one is the default. */
  static String oneOf(String flag, String value, List<String> choices) {
    if (!choices.contains(value)) {
      String names = choices.stream().filter(c -> !c.isEmpty()).collect(joining(" or "));
      throw StatusException.invalidArgument("%s must be %s, not %s", flag, names, value);
    }
    return value;
  }

  /** A host and a port. */
  static String address(String flag, String value) {
    if (!value.contains(":")) {
      throw StatusException.invalidArgument("%s must be HOST:PORT, not %s", flag, value);
    }
    return value;
  }

  /** The URL of a server by http or https, without a query. */
  static URI httpUrl(String flag, String value) {
    try {
      URI url = new URI(value);
      @Nullable String scheme = url.getScheme();
      if (scheme != null
          && List.of("http", "https").contains(scheme)
          && url.getHost() != null
          && url.getRawQuery() == null
          && url.getRawFragment() == null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Refused as any other text.
    }
    throw StatusException.invalidArgument("%s must be http://HOST:PORT, not %s", flag, value);
  }

  /** GPUs of this machine. */
  static GpuSelection gpus(String flag, String value) {
    try {
      return GpuSelection.parse(value);
    } catch (StatusException e) {
      throw new StatusException(e.code(), flag + ": " + e.getMessage(), e);
    }
  }

  /** The entries of a list, none of them blank. */
  static List<String> words(String flag, List<String> values) {
    if (values.stream().anyMatch(String::isBlank)) {
      throw StatusException.invalidArgument(
          "%s must be words with commas between, none of them empty, not %s",
          flag, String.join(",", values));
    }
    return values;
  }

  /** Refuses a flag that asks for the unsupported {@code feature}. */
  static void refuse(String flag, boolean asked, String feature) {
    if (asked) {
      throw StatusException.unimplemented("%s: %s is not supported in this version", flag, feature);
    }
  }
}
