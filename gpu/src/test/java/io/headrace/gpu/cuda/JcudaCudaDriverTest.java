package io.headrace.gpu.cuda;

import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** JCuda has libraries for this platform only, of those that the build runs on. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
final class JcudaCudaDriverTest implements CudaDriverContract {
  @Override
  public String binding() {
    return JcudaCudaDriver.NAME;
  }
}
