package io.headrace.cluster.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.ClusterDef;
import io.headrace.proto.tensorflow.ConfigProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClusterSpecTest {
  private static final ClusterSpec DENSE =
      ClusterSpec.of(Map.of("ps", List.of("p0:1", "p1:2"), "worker", List.of("w0:3")));

  private static final ClusterSpec SPARSE =
      ClusterSpec.ofSparse(Map.of("worker", Map.of(3, "w3:4", 1, "w1:2")));

  @Test
  void accessors_ofASparseJob_haveHoles() {
    assertThat(SPARSE.numTasks("worker")).isEqualTo(2);
    assertThat(SPARSE.taskIndices("worker")).containsExactly(1, 3);
    assertThat(SPARSE.taskAddress("worker", 3)).isEqualTo("w3:4");
    assertThat(SPARSE.jobTasks("worker"))
        .containsExactly(
            Optional.empty(), Optional.of("w1:2"), Optional.empty(), Optional.of("w3:4"));
  }

  @Test
  void accessors_ofWhatIsNotThere_fail() {
    assertThatThrownBy(() -> DENSE.numTasks("chief")).hasMessage("No such job in cluster: 'chief'");
    assertThatThrownBy(() -> SPARSE.taskAddress("worker", 0))
        .hasMessage("No task with index 0 in job 'worker'");
  }

  @Test
  void clusterDef_hasItsJobsSorted_andIsReadBack() {
    Map<String, List<String>> jobs = new LinkedHashMap<>();
    jobs.put("worker", List.of("w0:3"));
    jobs.put("empty", List.of());
    ClusterDef def = ClusterSpec.of(jobs).asClusterDef();
    assertThat(def.getJobList()).extracting("name").containsExactly("empty", "worker");
    assertThat(ClusterSpec.of(def)).isEqualTo(ClusterSpec.of(jobs));
  }

  @Test
  void equality_comparesAddressesByIndex() {
    assertThat(ClusterSpec.ofSparse(Map.of("a", Map.of(0, "h:1", 1, "i:2"))))
        .isEqualTo(ClusterSpec.of(Map.of("a", List.of("h:1", "i:2"))))
        .isNotEqualTo(ClusterSpec.of(Map.of("a", List.of("i:2", "h:1"))));
    assertThat(ClusterSpec.empty().isEmpty()).isTrue();
    assertThat(DENSE.isEmpty()).isFalse();
  }

  @Test
  void map_hasTheAddressesByJobAndIndex_andIsReadBack() {
    assertThat(DENSE.asMap())
        .isEqualTo(Map.of("ps", Map.of(0, "p0:1", 1, "p1:2"), "worker", Map.of(0, "w0:3")));
    assertThat(SPARSE.asMap()).isEqualTo(Map.of("worker", Map.of(3, "w3:4", 1, "w1:2")));
    assertThat(ClusterSpec.ofSparse(SPARSE.asMap())).isEqualTo(SPARSE);
    assertThatThrownBy(() -> DENSE.asMap().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> SPARSE.asMap().getOrDefault("worker", Map.of()).clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(ClusterSpec.of(DENSE)).isEqualTo(DENSE);
  }

  @Test
  void text_isTensorFlows() {
    assertThat(DENSE).hasToString("ClusterSpec({'ps': ['p0:1', 'p1:2'], 'worker': ['w0:3']})");
    assertThat(SPARSE).hasToString("ClusterSpec({'worker': {1: 'w1:2', 3: 'w3:4'}})");
  }

  @Test
  void duplicateJob_isRefused() {
    ClusterDef twice =
        ClusterDef.newBuilder()
            .addJob(DENSE.asClusterDef().getJob(0))
            .addJob(DENSE.asClusterDef().getJob(0))
            .build();
    assertThatThrownBy(() -> ClusterSpec.of(twice))
        .hasMessage("Duplicate job ID in cluster specification: ps");
  }

  @Test
  void config_isReadFromEachForm() {
    String json = "{\"ps\": [\"p0:1\", \"p1:2\"], \"worker\": {\"0\": \"w0:3\"}}";
    assertThat(ClusterConfig.ofText(json, "it").cluster()).isEqualTo(DENSE);
    assertThat(ClusterConfig.ofText(DENSE.asClusterDef().toString(), "it").cluster())
        .isEqualTo(DENSE);
    ClusterConfig config =
        ClusterConfig.ofEnvironment(
                Map.of(
                    "TF_CONFIG",
                    "{\"cluster\": " + json + ", \"task\": {\"type\": \"ps\", \"index\": \"1\"}}"))
            .orElseThrow();
    assertThat(config).isEqualTo(new ClusterConfig(DENSE, Optional.of("ps"), Optional.of(1)));
  }

  @Test
  void file_holdsAnyOfTheForms(@TempDir Path folder) throws IOException {
    String json = "{\"ps\": [\"p0:1\", \"p1:2\"], \"worker\": {\"0\": \"w0:3\"}}";
    String task = "{\"cluster\": " + json + ", \"task\": {\"type\": \"ps\", \"index\": 1}}";
    ClusterConfig plain = new ClusterConfig(DENSE, Optional.empty(), Optional.empty());
    Path file = folder.resolve("cluster");
    Files.writeString(file, json);
    assertThat(ClusterConfig.ofFile(file)).isEqualTo(plain);
    Files.writeString(file, DENSE.asClusterDef().toString());
    assertThat(ClusterConfig.ofFile(file)).isEqualTo(plain);
    Files.write(file, DENSE.asClusterDef().toByteArray());
    assertThat(ClusterConfig.ofFile(file)).isEqualTo(plain);
    Files.writeString(file, task);
    assertThat(ClusterConfig.ofFile(file))
        .isEqualTo(new ClusterConfig(DENSE, Optional.of("ps"), Optional.of(1)));
    Files.writeString(file, "job ps");
    assertThatThrownBy(() -> ClusterConfig.ofFile(file))
        .hasMessage(file + " holds no ClusterDef, neither as JSON nor in text or binary form");
  }

  @Test
  void sessionConfig_isReadFromEachForm(@TempDir Path folder) throws IOException {
    ConfigProto two = ConfigProto.newBuilder().putDeviceCount("CPU", 2).build();
    Path file = folder.resolve("config");
    Files.writeString(file, "{\"deviceCount\": {\"CPU\": 2}}");
    assertThat(ClusterConfig.sessionConfig(file)).isEqualTo(two);
    Files.writeString(file, two.toString());
    assertThat(ClusterConfig.sessionConfig(file)).isEqualTo(two);
    Files.write(file, two.toByteArray());
    assertThat(ClusterConfig.sessionConfig(file)).isEqualTo(two);
    Files.writeString(file, "{\"devices\": 2}");
    assertThatThrownBy(() -> ClusterConfig.sessionConfig(file))
        .hasMessageStartingWith(file + " holds no ConfigProto: ");
  }

  @Test
  void config_thatIsMalformed_isRefusedByItsName() {
    for (String text : List.of("{\"ps\": 3}", "{\"ps\": {\"x\": \"h:1\"}}", "{", "job ps")) {
      assertThatThrownBy(() -> ClusterConfig.ofText(text, "--cluster"))
          .as(text)
          .hasMessageStartingWith("--cluster ");
    }
  }
}
