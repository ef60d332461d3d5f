package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.B32;
import static io.headrace.fakecuda.ptx.PtxType.PRED;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import io.headrace.fakecuda.ptx.PtxOperand;
import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.Map;

/**
 * PTX ISA, Parallel Synchronization and Communication Instructions, of warps: shfl.sync, vote.sync
 * and bar.warp.sync. Lanes that the block does not have are in no mask.
 */
final class WarpOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.of("shfl", WarpOpcodes::shfl, "vote", WarpOpcodes::vote);

  private WarpOpcodes() {}

  static KernelStep barrier(Decoding d) {
    var _ = d.requireOneOf(List.of("sync"));
    d.endOfModifiers();
    d.requireOperands(1);
    WarpOperation operation =
        new WarpOperation() {
          @Override
          public void complete(List<GpuThread> lanes, int mask) {}

          @Override
          public boolean ordersMemory() {
            return true;
          }
        };
    return wait(d, operation, _ -> 0, d.value(0, B32));
  }

  private static KernelStep wait(Decoding d, WarpOperation operation, Value posted, Value mask) {
    int next = d.next();
    return thread -> {
      thread.posted = posted.get(thread);
      thread.mask = (int) mask.get(thread);
      thread.waitsAt = operation;
      thread.pc = next;
      return KernelStep.WAIT;
    };
  }

  private static KernelStep vote(Decoding d) {
    var _ = d.requireOneOf(List.of("sync"));
    String mode = d.requireOneOf(List.of("all", "any", "ballot"));
    boolean isBallot = mode.equals("ballot");
    PtxType type = d.requireType(isBallot ? B32 : PRED);
    d.endOfModifiers();
    d.requireOperands(3);
    Target target = d.target(0, type);
    WarpOperation operation =
        (lanes, mask) -> {
          int ballot = 0;
          for (GpuThread lane : lanes) {
            ballot |= (int) lane.posted << lane.lane();
          }
          long result =
              isBallot ? ballot : (mode.equals("all") ? ballot == mask : ballot != 0) ? 1 : 0;
          lanes.forEach(lane -> target.set(lane, result));
        };
    return wait(d, operation, d.value(1, PRED), d.value(2, B32));
  }

  /**
   * {@code shfl.sync.MODE.b32 d{|p}, a, b, c, mask}: a lane reads another one's value. c has the
   * bound of the lane in bits 0 to 4, and the mask of the segment in bits 8 to 12.
   */
  private static KernelStep shfl(Decoding d) {
    var _ = d.requireOneOf(List.of("sync"));
    String mode = d.requireOneOf(List.of("up", "down", "bfly", "idx"));
    PtxType type = d.requireType(B32);
    d.endOfModifiers();
    d.requireOperands(5);
    Value lane = d.value(2, B32);
    Value clamp = d.value(3, B32);
    Shuffle shuffle =
        d.operand(0) instanceof PtxOperand.Pair(String value, String isInRange)
            ? new Shuffle(
                mode, lane, clamp, d.target(value, type, false), d.target(isInRange, PRED, false))
            : new Shuffle(mode, lane, clamp, d.target(0, type), (_, _) -> {});
    return wait(d, shuffle, d.value(1, type), d.value(4, B32));
  }

  /** A shuffle: the operands b and c, and the destinations d and p. */
  private record Shuffle(String mode, Value lane, Value clamp, Target value, Target isInRange)
      implements WarpOperation {
    @Override
    public void complete(List<GpuThread> lanes, int mask) {
      long[] posted = new long[GpuBlock.WARP];
      lanes.forEach(thread -> posted[thread.lane()] = thread.posted);
      // Each lane reads all its operands before one of them is overwritten.
      long[] results = new long[lanes.size()];
      boolean[] inRange = new boolean[lanes.size()];
      for (int i = 0; i < results.length; i++) {
        GpuThread thread = lanes.get(i);
        int source = source(thread, inRange, i);
        if (((mask >>> source) & 1) == 0) {
          throw new GpuFault(
              Kind.SYNCHRONIZATION,
              "lane %d reads lane %d, which takes no part".formatted(thread.lane(), source));
        }
        results[i] = posted[source];
      }
      for (int i = 0; i < results.length; i++) {
        value.set(lanes.get(i), results[i]);
        isInRange.set(lanes.get(i), inRange[i] ? 1 : 0);
      }
    }

    /** The lane that a thread reads: its own if the one that it asks for is out of range. */
    private int source(GpuThread thread, boolean[] inRange, int i) {
      int asked = (int) lane.get(thread) & 31;
      int bounds = (int) clamp.get(thread);
      int segment = (bounds >> 8) & 31;
      int own = thread.lane();
      int max = (own & segment) | (bounds & 31 & ~segment);
      int source =
          switch (mode) {
            case "up" -> own - asked;
            case "down" -> own + asked;
            case "bfly" -> own ^ asked;
            default -> (own & segment) | (asked & ~segment);
          };
      inRange[i] = mode.equals("up") ? source >= max : source <= max;
      return inRange[i] ? source : own;
    }
  }
}
