package io.headrace.gpu.device;

/**
 * A compiled kernel of a context, launched by {@link GpuStream#launch}. While it is held, its
 * module stays loaded; {@link #close} ends that, though launches may still be on their way.
 * Thread-safe.
 */
public final class KernelFunction implements AutoCloseable {
  private final ModuleCache cache;
  private final LoadedModule module;
  private final String name;
  private final long handle;
  private boolean isClosed;

  KernelFunction(ModuleCache cache, LoadedModule module, String name, long handle) {
    this.cache = cache;
    this.module = module;
    this.name = name;
    this.handle = handle;
  }

  /** The kernel's name in its module. */
  public String name() {
    return name;
  }

  /** The driver's handle, for calls that tell or set attributes. */
  public synchronized long handle() {
    if (isClosed) {
      throw new IllegalStateException("the kernel " + name + " is used after it was closed");
    }
    return handle;
  }

  /** The launches of the module; used under the context's lock. */
  StreamUses uses() {
    return module.uses;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    cache.release(module);
  }
}
