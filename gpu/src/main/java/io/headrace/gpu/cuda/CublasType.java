package io.headrace.gpu.cuda;

/** The types of elements of which cuBLAS makes products here (cudaDataType of library_types.h). */
public enum CublasType {
  /** 32 bits; added up as such, without TF32. */
  FLOAT(0, CublasType.COMPUTE_32F),
  /** 64 bits. */
  DOUBLE(1, CublasType.COMPUTE_64F),
  /** IEEE 754 binary16, added up as float. */
  HALF(2, CublasType.COMPUTE_32F),
  /** The upper half of a float, added up as float. */
  BFLOAT16(14, CublasType.COMPUTE_32F);

  /** CUBLAS_COMPUTE_32F of cublas_api.h. */
  private static final int COMPUTE_32F = 68;

  /** CUBLAS_COMPUTE_64F. */
  private static final int COMPUTE_64F = 70;

  private final int dataType;
  private final int computeType;

  CublasType(int dataType, int computeType) {
    this.dataType = dataType;
    this.computeType = computeType;
  }

  /** The cudaDataType. */
  int dataType() {
    return dataType;
  }

  /** The cublasComputeType_t in which products are added up. */
  int computeType() {
    return computeType;
  }
}
