package io.headrace.dataset.session;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import org.jspecify.annotations.Nullable;

/**
 * The iterator of a node. With a shared name, it is shared by all nodes of that name in its
 * container and outlives the session; without one, it belongs to the node. Thread-safe.
 */
final class NamedIterator implements AutoCloseable {
  private final NodeSpec node;
  private final ElementTypes types;
  private final String shared;
  private final String container;
  private @Nullable SessionIterator iterator;
  private @Nullable Resources resources;

  /** INVALID_ARGUMENT for a container or shared name that is reserved. */
  NamedIterator(NodeSpec node) {
    this.node = node;
    this.types = ElementTypes.of(node.attrs());
    this.shared = node.attrs().string("shared_name");
    this.container = node.attrs().string("container");
    Resources.checkNames(container, shared);
  }

  /** The node's iterator, created on first use. */
  synchronized SessionIterator of(KernelCall call) {
    if (!shared.isEmpty()) {
      SessionIterator found = lookup(call.resources(), shared);
      found.types().check(types);
      return found;
    }
    SessionIterator own = iterator;
    if (own == null) {
      own = lookup(call.resources(), IteratorHandles.uniqueName(node.name()));
      iterator = own;
      resources = call.resources();
    }
    return own;
  }

  private SessionIterator lookup(Resources all, String name) {
    return all.lookupOrCreate(
        container, name, SessionIterator.class, () -> new SessionIterator(container, name, types));
  }

  /** Deletes the iterator if it belongs to the node. */
  @Override
  public synchronized void close() {
    SessionIterator own = iterator;
    Resources holder = resources;
    if (own != null && holder != null) {
      IteratorHandles.delete(own, holder);
    }
  }
}
