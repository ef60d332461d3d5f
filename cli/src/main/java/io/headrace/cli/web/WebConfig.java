package io.headrace.cli.web;

import java.util.List;

/**
 * Where a server's pages are.
 *
 * @param port the port; 0 for any free one
 * @param listen the address of the interface, or its name; "0.0.0.0" for all
 * @param hosts the names by which clients may call the server, beside localhost and addresses
 */
public record WebConfig(int port, String listen, List<String> hosts) {
  /** Copies the list. */
  public WebConfig {
    hosts = List.copyOf(hosts);
  }
}
