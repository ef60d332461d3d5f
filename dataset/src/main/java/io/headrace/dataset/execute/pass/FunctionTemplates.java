package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.NodeSpec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The functions that the attrs of one node name. Thread-safe. */
public final class FunctionTemplates {
  private final NodeSpec node;
  private final Map<String, FunctionTemplate> templates = new ConcurrentHashMap<>();

  public FunctionTemplates(NodeSpec node) {
    this.node = node;
  }

  /** The function that the attr {@code attr} names. */
  public FunctionTemplate get(String attr) {
    return templates.computeIfAbsent(
        attr, _ -> new FunctionTemplate(node.functions(), node.attrs().function(attr)));
  }
}
