package io.headrace.runtime.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DeviceSpecTest {
  @ParameterizedTest
  @CsvSource({
    "/job:ps/replica:0/task:1/device:CPU:0, /job:ps/replica:0/task:1/device:CPU:0",
    "/cpu:0, /device:CPU:0",
    "/GPU:1/job:w, /job:w/device:GPU:1",
    "/task:3, /task:3",
    "/job:*/device:CPU:*, /device:CPU:*",
    "/device:CPU, /device:CPU:*",
    "/job:a/job:b, /job:b",
    "/, ''"
  })
  void parse_ofEveryForm_printsTheCanonicalOne(String text, String canonical) {
    assertThat(DeviceSpec.parse(text)).hasToString(canonical);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu:0", "/job:", "/job:a-b", "/cpu", "/task:x", "/device:CPU:0x", "//"})
  void parse_ofAMalformedOne_isRefused(String text) {
    assertThatThrownBy(() -> DeviceSpec.parse(text))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("Malformed device specification '" + text + "'");
  }

  @Test
  void merge_ofPartsThatAgree_saysBoth() {
    DeviceSpec merged = DeviceSpec.parse("/job:ps").merge(DeviceSpec.parse("/task:1/cpu:0"), false);
    assertThat(merged).hasToString("/job:ps/task:1/device:CPU:0");
  }

  @Test
  void merge_ofTypesThatDiffer_dropsThemOnlyIfSoft() {
    DeviceSpec cpu = DeviceSpec.parse("/job:ps/cpu:0");
    DeviceSpec gpu = DeviceSpec.parse("/gpu:0");
    assertThat(cpu.merge(gpu, true)).hasToString("/job:ps");
    assertThatThrownBy(() -> cpu.merge(gpu, false))
        .hasMessageContaining("Cannot merge devices with incompatible types");
  }

  @Test
  void merge_ofJobsThatDiffer_isRefusedEvenIfSoft() {
    DeviceSpec ps = DeviceSpec.parse("/job:ps");
    assertThatThrownBy(() -> ps.merge(DeviceSpec.parse("/job:worker"), true))
        .hasMessageContaining("incompatible jobs: '/job:ps' and '/job:worker'");
  }
}
