package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxType;
import java.util.Map;
import java.util.Optional;

/** The special registers that are known, all of 32 bits (PTX ISA, Special Registers). */
final class SpecialRegisters {
  private static final Map<String, Value> ALL =
      Map.ofEntries(
          Map.entry("%tid.x", thread -> thread.x),
          Map.entry("%tid.y", thread -> thread.y),
          Map.entry("%tid.z", thread -> thread.z),
          Map.entry("%ntid.x", thread -> thread.block.size.x()),
          Map.entry("%ntid.y", thread -> thread.block.size.y()),
          Map.entry("%ntid.z", thread -> thread.block.size.z()),
          Map.entry("%ctaid.x", thread -> thread.block.x),
          Map.entry("%ctaid.y", thread -> thread.block.y),
          Map.entry("%ctaid.z", thread -> thread.block.z),
          Map.entry("%nctaid.x", thread -> thread.block.launch.grid().x()),
          Map.entry("%nctaid.y", thread -> thread.block.launch.grid().y()),
          Map.entry("%nctaid.z", thread -> thread.block.launch.grid().z()),
          Map.entry("%laneid", thread -> thread.lane()),
          Map.entry("WARP_SZ", _ -> GpuBlock.WARP));

  private SpecialRegisters() {}

  /** The value of a special register, if {@code type} has 32 bits and is no float. */
  static Optional<Value> find(String name, PtxType type) {
    return type.bits() == 32 && !type.isFloat()
        ? Optional.ofNullable(ALL.get(name))
        : Optional.empty();
  }
}
