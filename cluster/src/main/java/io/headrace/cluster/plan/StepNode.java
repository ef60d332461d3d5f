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

/** A mutable node of a step's graph while it is built: its inputs are nodes and may be replaced. */
public final class StepNode {
  /** An output of a node. */
  record Source(StepNode node, int output) {}

  private static final AttrValue EMPTY =
      AttrValue.newBuilder().setTensor(TensorProtos.write(Tensor.vector(new float[0]))).build();

  final String name;
  final NodeDef definition;

  /** The device; control-flow nodes may still be moved. */
  ClusterDevice device;

  final List<DataType> outputTypes;
  final List<Source> inputs = new ArrayList<>();
  final List<StepNode> controls = new ArrayList<>();

  /**
   * @param definition the op and the attrs; its inputs and device are ignored
   */
  StepNode(String name, NodeDef definition, ClusterDevice device, List<DataType> outputTypes) {
    this.name = name;
    this.definition = definition;
    this.device = device;
    this.outputTypes = outputTypes;
  }

  /** A _Send of {@code source}. */
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

  /** A _Recv of a tensor of {@code dtype}. */
  static StepNode receive(String name, DataType dtype, Transfer transfer) {
    return new StepNode(
        name,
        transfer.attrs("_Recv").putAttr("tensor_type", type(dtype)).build(),
        transfer.to(),
        List.of(dtype));
  }

  /** A Const of an empty tensor, for edges that carry only control. */
  static StepNode token(String name, ClusterDevice device) {
    NodeDef constant =
        NodeDef.newBuilder()
            .setOp("Const")
            .putAttr("dtype", type(DataType.FLOAT32))
            .putAttr("value", EMPTY)
            .build();
    return new StepNode(name, constant, device, List.of(DataType.FLOAT32));
  }

  /** An Identity of {@code dtype}, without its input. */
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

  /** The nodes of all data and control inputs. */
  List<StepNode> sources() {
    return Stream.concat(inputs.stream().map(Source::node), controls.stream()).toList();
  }

  /** The node as a NodeDef. */
  NodeDef toNodeDef() {
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
   * A transfer of a tensor between devices.
   *
   * @param tensorName the name that, with the devices, makes up the rendezvous key
   * @param from the sending device
   * @param to the receiving device
   * @param isClients whether the client is one of its ends: a feed or a fetch
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
