package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.gpu.cuda.CudaResult;
import io.headrace.runtime.device.Cleanup;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernels of a context, compiled from PTX once: who asks for one that another thread compiles
 * waits for that. Beyond a number of modules, those that were not used for longest are unloaded, if
 * nobody holds a kernel of theirs and their launches are over. Thread-safe.
 */
public final class ModuleCache {
  private final ContextState state;
  private final CompletionPoller poller;
  private final int maxModules;

  /** By PTX, the one that was used last at the end. */
  private final Map<String, LoadedModule> modules = new LinkedHashMap<>(16, 0.75f, true);

  ModuleCache(ContextState state, CompletionPoller poller, int maxModules) {
    this.state = state;
    this.poller = poller;
    this.maxModules = maxModules;
  }

  /**
   * The kernel {@code name} of a module, held until it is closed.
   *
   * @param ptx the text of the module
   * @throws StatusException INTERNAL if the PTX does not compile, with the compiler's log, or has
   *     no such kernel
   */
  public KernelFunction function(String ptx, String name) {
    LoadedModule module;
    boolean isNew;
    synchronized (state.lock) {
      state.check();
      isNew = !modules.containsKey(ptx);
      module = modules.computeIfAbsent(ptx, LoadedModule::new);
      module.holders++;
    }
    try {
      if (isNew) {
        load(module);
      }
      long handle = HostWait.uncancelled().await(module.handle, "the compilation of " + name);
      return new KernelFunction(this, module, name, lookUp(module, handle, name));
    } catch (RuntimeException e) {
      release(module);
      throw e;
    }
  }

  private void load(LoadedModule module) {
    try {
      module.handle.complete(state.enter().moduleLoadData(module.ptx()));
    } catch (CudaException e) {
      fail(module, state.failure(e));
    } catch (RuntimeException e) {
      fail(module, e);
    }
  }

  /** Forgets a module that did not load, so that the next to ask tries again. */
  private void fail(LoadedModule module, RuntimeException reason) {
    synchronized (state.lock) {
      modules.remove(module.ptx(), module);
    }
    module.handle.completeExceptionally(reason);
  }

  private long lookUp(LoadedModule module, long handle, String name) {
    synchronized (state.lock) {
      Long known = module.functions.get(name);
      if (known != null) {
        return known;
      }
      try {
        long function = state.enter().moduleGetFunction(handle, name);
        module.functions.put(name, function);
        return function;
      } catch (CudaException e) {
        throw e.result() == CudaResult.NOT_FOUND
            ? new StatusException(StatusCode.INTERNAL, "the PTX has no kernel " + name, e)
            : state.failure(e);
      }
    }
  }

  /** Ends one hold of a module. */
  void release(LoadedModule module) {
    synchronized (state.lock) {
      if (--module.holders == 0) {
        poller.streams().forEach(stream -> stream.wantEventAt(module.uses.of(stream.role())));
      }
      if (modules.size() > maxModules && state.end() == null && poller.reap()) {
        unloadUnused();
      }
    }
  }

  private void unloadUnused() {
    for (LoadedModule module : List.copyOf(modules.values())) {
      if (modules.size() <= maxModules) {
        return;
      }
      if (module.holders == 0 && isIdle(module)) {
        modules.remove(module.ptx());
        unload(state.enter(), module);
      }
    }
  }

  private boolean isIdle(LoadedModule module) {
    return poller.streams().stream()
        .allMatch(stream -> stream.isFinished(module.uses.of(stream.role())));
  }

  private void unload(CudaDriver driver, LoadedModule module) {
    try {
      if (module.handle.isDone() && !module.handle.isCompletedExceptionally()) {
        driver.moduleUnload(module.handle.join());
      }
    } catch (CudaException e) {
      throw state.failure(e);
    }
  }

  /** Unloads all modules; their launches are over. */
  void destroy(CudaDriver driver) {
    List<LoadedModule> all = new ArrayList<>(modules.values());
    modules.clear();
    Cleanup.forEach(all, module -> unload(driver, module));
  }
}
