package io.headrace.runtime.execute;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.graph.DevicePin;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.HostRole;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How the nodes of a function that are pinned to one device run, as far as it can be told without
 * that device. Values are named as the nodes that give them, with the output behind a colon where
 * there are several.
 *
 * @param device the device, as the nodes name it
 * @param toDevice the values that are copied there
 * @param fromDevice the values that are copied from there, for other nodes, for {@code onCpu}, or
 *     as results
 * @param onCpu the nodes that a GPU does not run, and the CPU runs beside it
 */
public record PinnedPlan(
    String device, List<String> toDevice, List<String> fromDevice, List<CpuNode> onCpu) {
  /**
   * A node that is pinned to a GPU, and runs on the CPU.
   *
   * @param op its op
   * @param node its name; behind that of its function, if that is one that the node's calls
   * @param reason why no GPU runs it
   */
  public record CpuNode(String op, String node, String reason) {}

  /** Each device takes a pass over all nodes, of which a client's graph may have many. */
  private static final int MAX_PINS = 64;

  /** Copies the lists. */
  public PinnedPlan {
    toDevice = List.copyOf(toDevice);
    fromDevice = List.copyOf(fromDevice);
    onCpu = List.copyOf(onCpu);
  }

  /** The plans of {@code body}, a function of {@code library}, by device. */
  static List<PinnedPlan> of(PrunedGraph body, FunctionLibrary library) {
    Set<String> pins = new LinkedHashSet<>();
    body.nodes().forEach(node -> pins.add(DevicePin.of(node)));
    pins.remove("");
    if (pins.size() > MAX_PINS) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "a function pins its nodes to %d devices, and at most %d can be explained",
          pins.size(),
          MAX_PINS);
    }
    return pins.stream().map(pin -> new Reader(body, library, pin).plan()).toList();
  }

  /** Where a tensor is when the pinned nodes run. */
  private enum Side {
    HOST,
    DEVICE,
    /** A function made it, whose nodes may run on either. */
    EITHER
  }

  /** Reads the nodes of one pin. */
  private static final class Reader {
    private final PrunedGraph body;
    private final FunctionLibrary library;
    private final String pin;
    private final boolean isGpu;
    private final Set<String> toDevice = new LinkedHashSet<>();
    private final Set<String> fromDevice = new LinkedHashSet<>();
    private final Map<String, CpuNode> onCpu = new LinkedHashMap<>();
    private final Set<String> callees = new HashSet<>();
    private final Map<Endpoint, Side> sides = new HashMap<>();

    Reader(PrunedGraph body, FunctionLibrary library, String pin) {
      this.body = body;
      this.library = library;
      this.pin = pin;
      isGpu = DeviceSpec.parse(pin).type().filter(Device.GPU::equals).isPresent();
    }

    PinnedPlan plan() {
      for (int i = 0; i < body.nodes().size(); i++) {
        Node node = body.nodes().get(i);
        if (isPinned(node) && isGpu) {
          readOnGpu(node);
        } else {
          readElsewhere(node);
        }
      }
      body.results().forEach(this::copyBack);
      return new PinnedPlan(
          pin, List.copyOf(toDevice), List.copyOf(fromDevice), List.copyOf(onCpu.values()));
    }

    private boolean isPinned(Node node) {
      return DevicePin.of(node).equals(pin);
    }

    /** A node beside the pinned ones; or, on a device that runs every op, one of these. */
    private void readElsewhere(Node node) {
      for (Endpoint input : node.inputs()) {
        if (!isPinned(node)) {
          copyBack(input);
        } else if (side(input) == Side.HOST) {
          toDevice.add(name(input));
        }
      }
    }

    private void readOnGpu(Node node) {
      Optional<String> reason = AcceleratedNodes.obstacle(node);
      if (reason.isPresent()) {
        onCpu.put(node.name(), new CpuNode(node.op().name(), node.name(), reason.get()));
        node.inputs().forEach(this::copyBack);
      } else if (isComputed(node)) {
        for (int i = 0; i < node.inputs().size(); i++) {
          readInput(node, i);
        }
      }
      FunctionLibrary.callees(node.attrs().values()).forEach(this::readCallee);
    }

    /** An input of a node that the GPU computes. */
    private void readInput(Node node, int index) {
      Endpoint input = node.inputs().get(index);
      if (AcceleratedNodes.isHostInput(node.op(), node.attrs(), index)) {
        copyBack(input);
      } else if (side(input) == Side.HOST && !isScalarConstant(input)) {
        toDevice.add(name(input));
      }
    }

    /** A function that a pinned node calls: its nodes run where that one does. */
    private void readCallee(String function) {
      if (!callees.add(function)) {
        return;
      }
      for (Node node : library.unpartitioned(function).nodes()) {
        String name = function + "/" + node.name();
        AcceleratedNodes.obstacle(node)
            .ifPresent(reason -> onCpu.put(name, new CpuNode(node.op().name(), name, reason)));
        FunctionLibrary.callees(node.attrs().values()).forEach(this::readCallee);
      }
    }

    private void copyBack(Endpoint value) {
      if (side(value) == Side.DEVICE) {
        fromDevice.add(name(value));
      }
    }

    /** Where {@code value} is; its sources precede it, so those of a loop end at a known one. */
    private Side side(Endpoint value) {
      Side known = sides.get(value);
      if (known == null) {
        known = sideOf(value);
        sides.put(value, known);
      }
      return known;
    }

    private Side sideOf(Endpoint value) {
      Node node = body.nodes().get(value.node());
      if (!isPinned(node)) {
        return Side.HOST;
      }
      if (!isGpu || isComputed(node)) {
        return Side.DEVICE;
      }
      if (node.op().hostRole() == HostRole.PASSES && !node.inputs().isEmpty()) {
        boolean isOneByOne = node.inputs().size() == node.outputTypes().size();
        Endpoint source = node.inputs().get(isOneByOne ? value.output() : 0);
        return source.node() < value.node() ? side(source) : Side.EITHER;
      }
      return FunctionLibrary.callees(node.attrs().values()).isEmpty() ? Side.HOST : Side.EITHER;
    }

    private static boolean isComputed(Node node) {
      return AcceleratedNodes.isComputed(
          node.op(), node.attrs(), node.inputTypes(), node.outputTypes());
    }

    /** A constant that becomes part of the kernels. */
    private boolean isScalarConstant(Endpoint value) {
      Node node = body.nodes().get(value.node());
      return isPinned(node)
          && node.op().name().equals("Const")
          && node.attrs().tensor("value").shape().rank() == 0;
    }

    private String name(Endpoint value) {
      Node node = body.nodes().get(value.node());
      return node.outputTypes().size() == 1 ? node.name() : node.name() + ":" + value.output();
    }
  }
}
