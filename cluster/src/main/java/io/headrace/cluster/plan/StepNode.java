package io.headrace.cluster.plan;

import com.google.protobuf.ByteString;
import io.headrace.cluster.peer.RendezvousKey;
import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A node of a step in the making: inputs are nodes, and may still be replaced. */
public final class StepNode {
  /** An output of a node. */
  record Source(StepNode node, int output) {}

  private static final AttrValue EMPTY =
      AttrValue.newBuilder().setTensor(TensorProtos.write(Tensor.vector(new float[0]))).build();

  final String name;
  final NodeDef definition;

  /** Where it runs; control flow may still be moved. */
  ClusterDevice device;

  final List<DataType> outputTypes;
  final List<Source> inputs = new ArrayList<>();
  final List<StepNode> controls = new ArrayList<>();

  /**
   * @param definition op and attrs; its inputs and device do not count
   */
  StepNode(String name, NodeDef definition, ClusterDevice device, List<DataType> outputTypes) {
    this.name = name;
    this.definition = definition;
    this.device = device;
    this.outputTypes = outputTypes;
  }

  /** A node that sends {@code source}. */
  static StepNode send(String name, Source source, Transfer transfer) {
    DataType dtype = source.node().outputTypes.get(source.output());
    StepNode node =
        new StepNode(
            name,
            transfer.attrs("_Send").putAttr("T", type(dtype)).build(),
            transfer.from(),
            List.of());
    node.inputs.add(source);
    return node;
  }

  /** A node that receives a tensor of {@code dtype}. */
  static StepNode receive(String name, DataType dtype, Transfer transfer) {
    return new StepNode(
        name,
        transfer.attrs("_Recv").putAttr("tensor_type", type(dtype)).build(),
        transfer.to(),
        List.of(dtype));
  }

  /** A node that gives an empty tensor: what is passed on where only its coming counts. */
  static StepNode token(String name, ClusterDevice device) {
    NodeDef constant =
        NodeDef.newBuilder()
            .setOp("Const")
            .putAttr("dtype", type(DataType.FLOAT32))
            .putAttr("value", EMPTY)
            .build();
    return new StepNode(name, constant, device, List.of(DataType.FLOAT32));
  }

  /** A node that passes on a tensor of {@code dtype}, which is yet to be its input. */
  static StepNode identity(String name, ClusterDevice device, DataType dtype) {
    NodeDef identity = NodeDef.newBuilder().setOp("Identity").putAttr("T", type(dtype)).build();
    return new StepNode(name, identity, device, List.of(dtype));
  }

  static AttrValue type(DataType dtype) {
    return AttrValue.newBuilder().setTypeValue(dtype.number()).build();
  }

  static AttrValue text(String value) {
    return AttrValue.newBuilder().setS(ByteString.copyFromUtf8(value)).build();
  }

  /** All nodes that it waits for. */
  List<StepNode> sources() {
    return Stream.concat(inputs.stream().map(Source::node), controls.stream()).toList();
  }

  /** The node as a graph has it. */
  NodeDef written() {
    NodeDef.Builder node =
        definition.toBuilder().clearInput().setName(name).setDevice(device.name());
    for (Source input : inputs) {
      node.addInput(
          input.output() == 0 ? input.node().name : input.node().name + ":" + input.output());
    }
    controls.forEach(control -> node.addInput("^" + control.name));
    return node.build();
  }

  /**
   * A tensor's way.
   *
   * @param tensorName what names it, with the devices
   * @param from the device that sends
   * @param to the device that receives
   * @param isClients whether one of both ends is the client
   */
  record Transfer(String tensorName, ClusterDevice from, ClusterDevice to, boolean isClients) {
    /** The rendezvous key, outside of loops. */
    String key() {
      return RendezvousKey.of(
          from.name(), from.attributes().getIncarnation(), to.name(), tensorName);
    }

    private NodeDef.Builder attrs(String op) {
      return NodeDef.newBuilder()
          .setOp(op)
          .putAttr("tensor_name", text(tensorName))
          .putAttr("send_device", text(from.name()))
          .putAttr("recv_device", text(to.name()))
          .putAttr(
              "send_device_incarnation",
              AttrValue.newBuilder().setI(from.attributes().getIncarnation()).build())
          .putAttr("client_terminated", AttrValue.newBuilder().setB(isClients).build());
    }
  }
}
