package io.headrace.cli;

import io.headrace.cli.web.WebConfig;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags of a server's pages and metrics; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class WebFlags {
  private static final String LOOPBACK = "127.0.0.1";

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      description =
          "Serve pages at http://127.0.0.1:PORT/ and metrics at /metrics; 0 for any free port,"
              + " which the log names. Default: neither.")
  Optional<Integer> httpPort = Optional.empty();

  @Option(
      names = "--http-listen",
      paramLabel = "ADDRESS",
      description =
          "The interface of --http-port: 0.0.0.0 for all. Everybody who reaches it may read"
              + " everything there. Default: 127.0.0.1.")
  Optional<String> httpListen = Optional.empty();

  @Option(
      names = "--http-hosts",
      paramLabel = "NAME",
      split = ",",
      description =
          "Names by which clients may call --http-port, beside localhost and addresses; requests by"
              + " other names are refused. Default: none.")
  List<String> httpHosts = List.of();

  /** Where pages are, if anywhere; fails for a flag that makes no sense. */
  Optional<WebConfig> config() {
    if (httpPort.isEmpty() && (httpListen.isPresent() || !httpHosts.isEmpty())) {
      throw StatusException.invalidArgument(
          "%s goes with --http-port only",
          httpListen.isPresent() ? "--http-listen" : "--http-hosts");
    }
    return httpPort.map(port ->
        new WebConfig(
            Flags.port("--http-port", port),
            httpListen.orElse(LOOPBACK),
            Flags.words("--http-hosts", httpHosts)));
  }
}
