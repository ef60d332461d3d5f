package io.headrace.gpu.cuda;

final class FfmCudaDriverTest implements CudaDriverContract {
  @Override
  public String binding() {
    return FfmCudaDriver.NAME;
  }
}
