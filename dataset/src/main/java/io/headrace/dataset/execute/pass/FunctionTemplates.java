package io.headrace.dataset.execute.pass;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.data.Metadata;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The functions in the attrs of one node. Thread-safe. */
public final class FunctionTemplates {
  private final NodeSpec node;
  private final Map<String, FunctionTemplate> templates = new ConcurrentHashMap<>();

  public FunctionTemplates(NodeSpec node) {
    this.node = node;
  }

  /** The function in the attr {@code attr}. */
  public FunctionTemplate get(String attr) {
    return templates.computeIfAbsent(
        attr,
        _ -> new FunctionTemplate(node.functions(), node.attrs().function(attr), transformation()));
  }

  /** The name that the user gave the transformation, or else its op and node. */
  private String transformation() {
    ByteString metadata =
        node.attrs().has("metadata") ? node.attrs().raw("metadata").getS() : ByteString.EMPTY;
    try {
      String name = Metadata.parseFrom(metadata).getName().toStringUtf8();
      return name.isEmpty() ? node.op().name() + ":" + node.name() : name;
    } catch (InvalidProtocolBufferException e) {
      throw StatusException.invalidArgument("metadata is no Metadata message: %s", e)
          .in("node %s (op %s)".formatted(node.name(), node.op().name()));
    }
  }
}
