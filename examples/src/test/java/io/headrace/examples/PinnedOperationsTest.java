package io.headrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class PinnedOperationsTest {
  @Test
  void operations_onThreeTasksOfThisProcess_areComputed() {
    var out = new StringWriter();

    float c = PinnedOperations.runHere(WorkerGpus.NONE, new PrintWriter(out));

    assertThat(c).isEqualTo(3f);
    assertThat(out.toString())
        .contains("ClusterSpec({'ps': ['localhost:")
        .contains("device /job:ps/replica:0/task:0/device:CPU:0")
        .contains("device /job:worker/replica:0/task:1/device:CPU:0")
        .contains("a = 1.0 on /job:ps/task:0/cpu:0")
        .contains("b = a + 2 = 3.0 on /job:worker/task:0");
  }
}
