package io.headrace.gpu.device;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A module of the cache, which may still be compiled. Used under the context's lock. */
final class LoadedModule {
  private final String ptx;

  /** The module's handle, when it is compiled. */
  final CompletableFuture<Long> handle = new CompletableFuture<>();

  /** The kernels that were looked up, by name. */
  final Map<String, Long> functions = new HashMap<>();

  /** The launches of its kernels. */
  final StreamUses uses = new StreamUses();

  /** How many hold one of its kernels, or wait for it. */
  int holders;

  LoadedModule(String ptx) {
    this.ptx = ptx;
  }

  String ptx() {
    return ptx;
  }
}
