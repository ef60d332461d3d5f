package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.NodeSpec;
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
        attr, _ -> new FunctionTemplate(node.functions(), node.attrs().function(attr)));
  }
}
