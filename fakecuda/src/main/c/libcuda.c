/*
 * A libcuda without a driver, and a libcublas beside it: each function calls what fakecuda_set was
 * given for it, a stub of Java's foreign functions. Built by build.py into libcuda.so.1, whose soname is that of the
 * driver's library: a library that needs it, such as JCuda's, is bound to this one if it was
 * loaded first.
 */
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef void *CUhandle; /* a context, module, function, stream or event */

typedef void *cublasHandle_t;

enum { CUDA_ERROR_NOT_SUPPORTED = 801 };

/* All functions: name, parameters, arguments. */
#define FUNCTIONS(X)                                                                               \
  X(cuGetErrorName, (int error, const char **text), (error, text))                                 \
  X(cuGetErrorString, (int error, const char **text), (error, text))                               \
  X(cuInit, (unsigned flags), (flags))                                                             \
  X(cuDriverGetVersion, (int *version), (version))                                                 \
  X(cuDeviceGetCount, (int *count), (count))                                                       \
  X(cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal))                              \
  X(cuDeviceGetName, (char *name, int length, CUdevice device), (name, length, device))            \
  X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), (bytes, device))                       \
  X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device), (value, attribute, device)) \
  X(cuDeviceGetPCIBusId, (char *id, int length, CUdevice device), (id, length, device))            \
  X(cuDevicePrimaryCtxRetain, (CUhandle * context, CUdevice device), (context, device))            \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))                                     \
  X(cuDevicePrimaryCtxReset_v2, (CUdevice device), (device))                                       \
  X(cuCtxSetCurrent, (CUhandle context), (context))                                                \
  X(cuCtxGetCurrent, (CUhandle * context), (context))                                              \
  X(cuCtxSynchronize, (void), ())                                                                  \
  X(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes), (address, bytes))                        \
  X(cuMemFree_v2, (CUdeviceptr address), (address))                                                \
  X(cuMemGetInfo_v2, (size_t * available, size_t *total), (available, total))                      \
  X(cuMemHostAlloc, (void **address, size_t bytes, unsigned flags), (address, bytes, flags))       \
  X(cuMemFreeHost, (void *address), (address))                                                     \
  X(cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags), (address, bytes, flags))  \
  X(cuMemHostUnregister, (void *address), (address))                                               \
  X(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes), (to, from, bytes))          \
  X(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))                \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUhandle stream),       \
    (to, from, bytes, stream))                                                                     \
  X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUhandle stream),             \
    (to, from, bytes, stream))                                                                     \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUhandle stream),       \
    (to, from, bytes, stream))                                                                     \
  X(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUhandle stream),         \
    (to, value, count, stream))                                                                    \
  X(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUhandle stream),             \
    (to, value, count, stream))                                                                    \
  X(cuModuleLoadDataEx,                                                                            \
    (CUhandle * module, const void *image, unsigned options, int *keys, void **values),            \
    (module, image, options, keys, values))                                                        \
  X(cuModuleUnload, (CUhandle module), (module))                                                   \
  X(cuModuleGetFunction, (CUhandle * function, CUhandle module, const char *name),                 \
    (function, module, name))                                                                      \
  X(cuModuleGetGlobal_v2, (CUdeviceptr * address, size_t *bytes, CUhandle module, const char *name), \
    (address, bytes, module, name))                                                                \
  X(cuFuncGetAttribute, (int *value, int attribute, CUhandle function),                            \
    (value, attribute, function))                                                                  \
  X(cuFuncSetAttribute, (CUhandle function, int attribute, int value),                             \
    (function, attribute, value))                                                                  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                   \
    (int *blocks, CUhandle function, int block_size, size_t shared_bytes),                         \
    (blocks, function, block_size, shared_bytes))                                                  \
  X(cuLaunchKernel,                                                                                \
    (CUhandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,       \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, CUhandle stream, void **arguments, \
     void **extra),                                                                                \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments, \
     extra))                                                                                       \
  X(cuStreamCreate, (CUhandle * stream, unsigned flags), (stream, flags))                          \
  X(cuStreamDestroy_v2, (CUhandle stream), (stream))                                               \
  X(cuStreamSynchronize, (CUhandle stream), (stream))                                              \
  X(cuStreamQuery, (CUhandle stream), (stream))                                                    \
  X(cuStreamWaitEvent, (CUhandle stream, CUhandle event, unsigned flags), (stream, event, flags))  \
  X(cuEventCreate, (CUhandle * event, unsigned flags), (event, flags))                             \
  X(cuEventDestroy_v2, (CUhandle event), (event))                                                  \
  X(cuEventRecord, (CUhandle event, CUhandle stream), (event, stream))                             \
  X(cuEventSynchronize, (CUhandle event), (event))                                                 \
  X(cuEventQuery, (CUhandle event), (event))                                                       \
  X(cuEventElapsedTime, (float *millis, CUhandle start, CUhandle end), (millis, start, end))       \
  X(cublasGetProperty, (int type, int *value), (type, value))                                      \
  X(cublasCreate_v2, (cublasHandle_t * handle), (handle))                                          \
  X(cublasDestroy_v2, (cublasHandle_t handle), (handle))                                           \
  X(cublasSetStream_v2, (cublasHandle_t handle, CUhandle stream), (handle, stream))                \
  X(cublasSetWorkspace_v2, (cublasHandle_t handle, void *workspace, size_t bytes),                 \
    (handle, workspace, bytes))                                                                    \
  X(cublasSetMathMode, (cublasHandle_t handle, int mode), (handle, mode))                          \
  X(cublasGemmStridedBatchedEx,                                                                    \
    (cublasHandle_t handle, int op_a, int op_b, int m, int n, int k, const void *alpha,            \
     const void *a, int type_a, int ld_a, long long stride_a, const void *b, int type_b, int ld_b, \
     long long stride_b, const void *beta, void *c, int type_c, int ld_c, long long stride_c,      \
     int count, int compute_type, int algorithm),                                                  \
    (handle, op_a, op_b, m, n, k, alpha, a, type_a, ld_a, stride_a, b, type_b, ld_b, stride_b, beta, \
     c, type_c, ld_c, stride_c, count, compute_type, algorithm))

#define DEFINE(name, parameters, arguments)                                                        \
  static CUresult(*call_##name) parameters;                                                        \
  EXPORT CUresult name parameters {                                                                \
    return call_##name ? call_##name arguments : CUDA_ERROR_NOT_SUPPORTED;                         \
  }
FUNCTIONS(DEFINE)

/* Lets `name` call `function`; returns 0 if there is no function of this name. */
#define SET(known, parameters, arguments)                                                          \
  if (strcmp(name, #known) == 0) {                                                                 \
    call_##known = (CUresult(*) parameters)function;                                               \
    return 1;                                                                                      \
  }
EXPORT int fakecuda_set(const char *name, void *function) {
  FUNCTIONS(SET)
  return 0;
}
