package io.headrace.cli.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class RoutesTest {
  private final Routes routes = new Routes();

  RoutesTest() {
    routes.add("/", _ -> Answer.text("page"));
    routes.add("/api/jobs/{}/history", _ -> Answer.text("history"));
  }

  @Test
  void openSegment_isDecoded_andMayHaveASlashOfItsOwn() {
    Routes.Found found = routes.find("/api/jobs/my%2Fjob%20+1/history").orElseThrow();

    assertThat(found.words()).containsExactly("my/job +1");
  }

  @Test
  void otherPaths_areNotFound() {
    assertThat(routes.find("/")).isPresent();
    assertThat(routes.find("")).isEmpty();
    assertThat(routes.find("/api/jobs//history")).isEmpty();
    assertThat(routes.find("/api/jobs/1/history/")).isEmpty();
    assertThat(routes.find("/api/jobs/1")).isEmpty();
    assertThat(routes.find("/../etc/passwd")).isEmpty();
  }

  @Test
  void malformedPath_isRefused() {
    assertThatThrownBy(() -> routes.find("/api/jobs/%zz/history"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void query_isDecoded() {
    assertThat(Routes.query("skip=500&name=a%26b&empty=&alone"))
        .isEqualTo(Map.of("skip", "500", "name", "a&b", "empty", ""));
  }
}
