package io.headrace.runtime.graph;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NodeDef;

/**
 * The device to which a node of a function is pinned, as {@code /job:gpu/task:1/device:GPU:0}. It
 * is an attr of the node, since dispatchers of the data service clear the device field of nodes,
 * and keep attrs that begin with an underscore.
 */
public final class DevicePin {
  /** The attr's name. */
  public static final String ATTR = "_headrace_device";

  private DevicePin() {}

  /** The pin of {@code node}; empty if it runs on its function's device. */
  public static String of(Node node) {
    return node.attrs().has(ATTR) ? node.attrs().string(ATTR) : "";
  }

  /** {@code node} pinned to {@code device}; unchanged if {@code device} is empty. */
  static NodeDef with(String device, NodeDef node) {
    return device.isEmpty()
        ? node
        : node.toBuilder()
            .putAttr(ATTR, AttrValue.newBuilder().setS(ByteString.copyFromUtf8(device)).build())
            .build();
  }

  /** {@code node} without its pin. */
  public static NodeDef taken(NodeDef node) {
    return node.toBuilder().removeAttr(ATTR).build();
  }
}
