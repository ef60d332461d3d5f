package io.headrace.runtime.op;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The registered ops, by name. Immutable. */
public final class OpRegistry {
  private static final class Standard {
    static final OpRegistry REGISTRY = load();

    private static OpRegistry load() {
      Map<String, Op> ops = new LinkedHashMap<>();
      for (OpLibrary library : ServiceLoader.load(OpLibrary.class)) {
        for (Op op : library.ops()) {
          if (ops.put(op.name(), op) != null) {
            throw new IllegalStateException("op " + op.name() + " is declared twice");
          }
        }
      }
      return new OpRegistry(ops);
    }
  }

  private final Map<String, Op> ops;

  private OpRegistry(Map<String, Op> ops) {
    this.ops = new TreeMap<>(ops);
  }

  /** A registry of {@code ops} alone. */
  public static OpRegistry of(Op... ops) {
    Map<String, Op> byName = new LinkedHashMap<>();
    for (Op op : ops) {
      byName.put(op.name(), op);
    }
    return new OpRegistry(byName);
  }

  /** This registry with {@code replacement} applied to each op; a replacement keeps the name. */
  public OpRegistry replacing(UnaryOperator<Op> replacement) {
    Map<String, Op> replaced = new LinkedHashMap<>();
    ops.forEach((name, op) -> replaced.put(name, replacement.apply(op)));
    return new OpRegistry(replaced);
  }

  /** Every op of every {@link OpLibrary} on the class path. */
  public static OpRegistry standard() {
    return Standard.REGISTRY;
  }

  /** The op {@code name}, or null if it is not supported. */
  public @Nullable Op find(String name) {
    return ops.get(name);
  }

  /** All ops, by name. */
  public Collection<Op> ops() {
    return ops.values();
  }
}
