package io.headrace.kernels.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** G1 of JDK 25.0.0 to 25.0.2 does not keep pinned arrays in place. */
final class ArrayPinningTest {
  private static final List<String> G1 =
      List.of("G1 Young Generation", "G1 Concurrent GC", "G1 Old Generation");
  private static final List<String> PARALLEL = List.of("PS MarkSweep", "PS Scavenge");
  private static final List<String> ZGC = List.of("ZGC Minor Cycles", "ZGC Minor Pauses");

  @ParameterizedTest
  @ValueSource(strings = {"25", "25+36-LTS", "25-ea", "25.0.1", "25.0.1+8", "25.0.2", "25.0.2.1"})
  void isSafe_affectedVersion_isNotWithG1(String text) {
    Runtime.Version version = Runtime.Version.parse(text);

    assertThat(ArrayPinning.isSafe(version, () -> G1)).isFalse();
    assertThat(ArrayPinning.isSafe(version, () -> PARALLEL)).isTrue();
    assertThat(ArrayPinning.isSafe(version, () -> ZGC)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"25.0.3", "25.0.3+9-LTS", "25.0.10", "26", "26.0.1", "27-ea"})
  void isSafe_laterVersion_isWithAnyCollector(String text) {
    Runtime.Version version = Runtime.Version.parse(text);

    assertThat(ArrayPinning.isSafe(version, () -> G1)).isTrue();
    assertThat(ArrayPinning.isSafe(version, () -> PARALLEL)).isTrue();
  }

  /** The names of a real process's collectors are those that the decision looks for. */
  @ParameterizedTest
  @CsvSource({"-XX:+UseG1GC, false", "-XX:+UseParallelGC, true", "-XX:+UseSerialGC, true"})
  void collectors_ofAProcess_decide(String option, boolean isSafe)
      throws IOException, InterruptedException {
    List<String> collectors = collectors(option);

    Runtime.Version affected = Runtime.Version.parse("25.0.2");
    assertThat(ArrayPinning.isSafe(affected, () -> collectors)).isEqualTo(isSafe);
  }

  @Test
  void isSafe_ofThisProcess_isThatOfItsVersionAndCollectors() {
    Supplier<List<String>> collectors = ArrayPinning::collectors;

    assertThat(collectors.get()).isNotEmpty();
    assertThat(ArrayPinning.isSafe()).isEqualTo(ArrayPinning.isSafe(Runtime.version(), collectors));
  }

  private static List<String> collectors(String option) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                option,
                "-Xmx32m",
                "-cp",
                System.getProperty("java.class.path"),
                Names.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var out = process.inputReader()) {
      List<String> names = out.lines().toList();
      assertThat(process.waitFor()).isZero();
      return names;
    }
  }

  /** Prints the names of its collectors. */
  static final class Names {
    private Names() {}

    @SuppressWarnings("SystemOut") // that is how the parent process gets them
    public static void main(String[] args) {
      ArrayPinning.collectors().forEach(System.out::println);
    }
  }
}
