package io.headrace.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HostCheckTest {
  private final HostCheck check = new HostCheck(List.of("Feed.example"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "localhost:9090",
        "LOCALHOST.",
        "127.0.0.1:9090",
        "10.1.2.3",
        "[::1]:9090",
        "[fe80::1]",
        "feed.example",
        "FEED.EXAMPLE:80"
      })
  void ownNamesAndAddresses_areAllowed(String host) {
    assertThat(check.allows(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "evil.example",
        "evil.example:9090",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "feed.example.evil",
        "user@localhost",
        "localhost/evil",
        "localhost:port",
        "[evil]",
        "1.2.3.4.5",
        "::1"
      })
  void otherNames_areRefused(String host) {
    assertThat(check.allows(host)).isFalse();
  }
}
