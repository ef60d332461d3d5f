package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cases notice each barrier, guard and atomic of the kernels that move elements. */
@Timeout(300)
final class MoveMutationTest {
  @Test
  void everyMutant_isKilled() {
    List<WrittenCase> cases = MoveCases.of(DataType.INT64);
    Mutants mutants = new Mutants(PtxResource.MOVES, name -> name.endsWith("8"));

    mutants.run(kernel -> cases.stream().filter(one -> uses(one, kernel)).toList());

    mutants.print("moves.ptx");
    assertThat(mutants.survivors()).isEmpty();
    assertThat(mutants.total()).isGreaterThan(20);
  }

  private static boolean uses(WrittenCase one, String kernel) {
    String op = one.node().op().name();
    return switch (kernel) {
      case "gather8" -> op.startsWith("Gather");
      case "oneHot8" -> op.equals("OneHot");
      case "transpose8" -> op.equals("Transpose");
      default -> !op.startsWith("Gather") && !op.equals("OneHot");
    };
  }
}
