package io.headrace.fakecuda.machine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** A device for a test: memory, one module, and launches one after the other. */
final class TestDevice {
  static final String HEADER = ".version 7.0\n.target sm_70\n.address_size 64\n";

  final DeviceMemory memory = new DeviceMemory(1 << 24);
  private final GpuModule module;
  private int operation = 1;
  private long seed;

  /** A device with a module: what comes behind its header. */
  TestDevice(String body) {
    this(body, HEADER);
  }

  private TestDevice(String body, String header) {
    module = GpuModule.load(memory, header + body).orElseThrow();
  }

  /** A device with a whole module. */
  static TestDevice ofModule(String ptx) {
    return new TestDevice(ptx, "");
  }

  /** A device with the kernel {@code k} of these parameters and instructions. */
  static TestDevice ofKernel(String parameters, String body) {
    return new TestDevice(".visible .entry k(" + parameters + ") {\n" + body + "\nret;\n}\n");
  }

  GpuModule module() {
    return module;
  }

  TestDevice withSeed(long value) {
    seed = value;
    return this;
  }

  /** The address of new, undefined memory. */
  long allocate(int bytes) {
    return memory.allocate(bytes).orElseThrow();
  }

  /** The address of new memory with these values. */
  long store(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(values);
    return store(bytes.array());
  }

  /** The address of new memory with these bytes. */
  long store(byte[] bytes) {
    long address = allocate(bytes.length);
    memory.write(address, bytes, operation++);
    return address;
  }

  byte[] bytes(long address, int count) {
    return memory.read(address, count, operation++);
  }

  int[] ints(long address, int count) {
    int[] values = new int[count];
    ByteBuffer.wrap(bytes(address, count * 4))
        .order(ByteOrder.LITTLE_ENDIAN)
        .asIntBuffer()
        .get(values);
    return values;
  }

  /** Launches the kernel k with one block of {@code threads}. */
  void launch(int threads, Object... arguments) {
    launch(Dimensions.of(1), Dimensions.of(threads), 0, arguments);
  }

  /** Launches the kernel k. */
  void launch(Dimensions grid, Dimensions block, int sharedBytes, Object... arguments) {
    launch("k", grid, block, sharedBytes, arguments);
  }

  /** Launches a kernel; returns its steps. */
  long launch(
      String name, Dimensions grid, Dimensions block, int sharedBytes, Object... arguments) {
    GpuKernel kernel = module.kernel(name).orElseThrow();
    return new KernelLaunch(
            kernel,
            grid,
            block,
            sharedBytes,
            pack(kernel, arguments),
            operation++,
            seed,
            10_000_000)
        .run();
  }

  private static byte[] pack(GpuKernel kernel, Object... arguments) {
    ByteBuffer bytes = ByteBuffer.allocate(kernel.argumentBytes()).order(ByteOrder.LITTLE_ENDIAN);
    List<GpuKernel.Parameter> parameters = kernel.parameters();
    for (int i = 0; i < arguments.length; i++) {
      int at = parameters.get(i).offset();
      switch (arguments[i]) {
        case Long value -> bytes.putLong(at, value);
        case Integer value -> bytes.putInt(at, value);
        case Short value -> bytes.putShort(at, value);
        case Float value -> bytes.putFloat(at, value);
        default -> throw new AssertionError(arguments[i]);
      }
    }
    return bytes.array();
  }
}
