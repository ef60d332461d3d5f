package io.headrace.cluster.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.GradientDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The function library of a session's graph, which clients send in full with each extension. */
final class SessionGraphTest {
  private static final DeviceSpec TASK = DeviceSpec.ofTask("w", 0);
  private static final SessionGraph.Setting SETTING =
      new SessionGraph.Setting(
          OpRegistry.standard(),
          new DeviceSet(
              DeviceSet.of(
                  TASK,
                  List.of(
                      DeviceAttributes.newBuilder()
                          .setName(TASK + "/device:CPU:0")
                          .setDeviceType("CPU")
                          .build()),
                  true)),
          false);

  private static GraphDef graph(String function, String gradient) {
    return GraphDef.newBuilder()
        .setLibrary(
            FunctionDefLibrary.newBuilder()
                .addFunction(
                    FunctionDef.newBuilder().setSignature(OpDef.newBuilder().setName(function)))
                .addGradient(
                    GradientDef.newBuilder().setFunctionName(function).setGradientFunc(gradient)))
        .build();
  }

  @Test
  void functionsAndGradients_thatComeAgain_areThereOnce() {
    SessionGraph graph = SessionGraph.create(graph("f", "df"), SETTING);
    FunctionDefLibrary library =
        graph
            .extended(graph("f", "df"), SETTING)
            .extended(graph("g", "dg"), SETTING)
            .extended(graph("f", "df"), SETTING)
            .library();
    assertThat(library.getFunctionList()).extracting("signature.name").containsExactly("f", "g");
    assertThat(library.getGradientList()).extracting("gradientFunc").containsExactly("df", "dg");
  }

  @Test
  void gradient_thatIsAnother_isRefused() {
    SessionGraph graph = SessionGraph.create(graph("f", "df"), SETTING);
    assertThatThrownBy(() -> graph.extended(graph("f", "other"), SETTING))
        .hasMessage(
            "Cannot assign gradient function 'other' to 'f' because it already has gradient"
                + " function 'df'")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
