package io.headrace.cli.web;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names by which clients may call a server: localhost, addresses of any kind, and those of its
 * configuration. A page of another site that has its own name lead to this server's address (DNS
 * rebinding) calls by that name, and gets nothing. Immutable.
 */
final class HostCheck {
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(\\[[0-9a-f:.]+\\]|[^:\\[\\]/@]+?)\\.?(?::\\d{1,5})?");
  private static final Pattern ADDRESS =
      Pattern.compile("\\[[0-9a-f:.]+\\]|\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");

  private final Set<String> names = new HashSet<>(Set.of("localhost"));

  /** The check of a server that goes by {@code names}, too. */
  HostCheck(Collection<String> names) {
    names.forEach(name -> this.names.add(name.toLowerCase(Locale.ROOT)));
  }

  /** Whether the value of a Host header names this server, at any port. */
  boolean allows(String header) {
    var parts = HOST_AND_PORT.matcher(header.toLowerCase(Locale.ROOT));
    return parts.matches()
        && (names.contains(parts.group(1)) || ADDRESS.matcher(parts.group(1)).matches());
  }
}
