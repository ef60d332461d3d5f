package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxException;
import io.headrace.fakecuda.ptx.PtxFunction;
import io.headrace.fakecuda.ptx.PtxModule;
import io.headrace.fakecuda.ptx.PtxParser;
import io.headrace.fakecuda.ptx.PtxVariable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A module whose variables are in the device's memory and whose kernels are compiled. */
public final class GpuModule {
  private final Map<String, GpuKernel> kernels = new HashMap<>();
  private final Map<String, Long> variables = new HashMap<>();

  private GpuModule() {}

  /**
   * Loads a module; empty if there is not enough memory for its variables.
   *
   * @throws io.headrace.fakecuda.ptx.PtxException if the text is wrong, or uses what the
   *     interpreter does not know
   */
  public static Optional<GpuModule> load(DeviceMemory memory, String ptx) {
    PtxModule module = PtxParser.parse(ptx);
    long needed =
        module.variables().stream()
            .filter(variable -> !variable.space().equals("shared"))
            .mapToLong(PtxVariable::bytes)
            .sum();
    if (needed > memory.free()) {
      return Optional.empty();
    }
    GpuModule loaded = new GpuModule();
    for (PtxVariable variable : module.variables()) {
      if (!variable.space().equals("shared")) {
        loaded.variables.put(variable.name(), allocate(memory, variable));
      }
    }
    try {
      for (PtxFunction function : module.functions().values()) {
        if (function.isEntry()) {
          KernelCode code = new KernelCompiler(module, memory, loaded.variables).compile(function);
          loaded.kernels.put(function.name(), new GpuKernel(code));
        }
      }
    } catch (PtxException e) {
      loaded.variables.values().forEach(memory::discard);
      throw e;
    }
    return Optional.of(loaded);
  }

  private static long allocate(DeviceMemory memory, PtxVariable variable) {
    long address =
        memory
            .allocate(variable.bytes())
            .orElseThrow(() -> new IllegalStateException("no memory for " + variable.name()));
    Allocation allocation = memory.at(address, variable.bytes(), "initialization");
    allocation.history().defineAll();
    int size = variable.type().bytes();
    for (int i = 0; i < variable.initial().size(); i++) {
      LittleEndian.set(allocation.data(), i * size, size, variable.initial().get(i));
    }
    return address;
  }

  /** The kernel of this name. */
  public Optional<GpuKernel> kernel(String name) {
    return Optional.ofNullable(kernels.get(name));
  }

  /** The address of the variable of this name. */
  public Optional<Long> variable(String name) {
    return Optional.ofNullable(variables.get(name));
  }

  /** Frees the variables, as {@code operation}. */
  public void unload(DeviceMemory memory, int operation) {
    variables.values().forEach(address -> memory.free(address, operation));
    variables.clear();
  }
}
