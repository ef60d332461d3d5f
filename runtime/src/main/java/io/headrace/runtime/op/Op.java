package io.headrace.runtime.op;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one op: name, arguments, attrs, statefulness, shape rule and kernels, all in
 * one place.
 *
 * <pre>{@code
 * Op.define("Sum(input: T, reduction_indices: Tidx) -> output: T")
 *     .attrs("T: number", "Tidx: {int32, int64} = int32", "keep_dims: bool = false")
 *     .shape(...)
 *     .kernel(node -> call -> ...);
 * }</pre>
 *
 * <p>Arguments are written as in {@link ArgSpec}, attrs as in {@link AttrSpec}. Immutable.
 */
public final class Op {
  private static final Pattern SYNTAX =
      Pattern.compile(
          "(\\w+)\\(((?:[^()]|Ref\\([^()]*\\))*)\\)"
              + "(?:\\s*->\\s*(?:\\(((?:[^()]|Ref\\([^()]*\\))*)\\)|((?:[^()]|Ref\\([^()]*\\))*)))?");

  private final String name;
  private final List<ArgSpec> inputs;
  private final List<ArgSpec> outputs;
  private final Map<String, AttrSpec> attrs;
  private final Effect effect;
  private final Optional<ShapeRule> shapeRule;
  private final Optional<ScalarRule> scalarRule;
  private final Predicate<Attrs> scalarWhere;
  private final Map<String, KernelFactory> kernels;
  private final boolean mayWait;
  private final boolean isCall;
  private final String remark;

  private Op(Builder b) {
    this.name = b.name;
    this.inputs = List.copyOf(b.inputs);
    this.outputs = List.copyOf(b.outputs);
    this.attrs = Map.copyOf(b.attrs);
    this.effect = b.effect;
    this.shapeRule = Optional.ofNullable(b.shapeRule);
    this.scalarRule = Optional.ofNullable(b.scalarRule);
    this.scalarWhere = b.scalarWhere;
    this.kernels = Map.copyOf(b.kernels);
    this.mayWait = b.mayWait;
    this.isCall = b.isCall;
    this.remark = b.remark;
  }

  /** Begins the declaration {@code Name(input: type, ...) -> (output: type, ...)}. */
  public static Builder define(String signature) {
    return new Builder(signature);
  }

  /** TensorFlow's name of it. */
  public String name() {
    return name;
  }

  /** The inputs, in order. */
  public List<ArgSpec> inputs() {
    return inputs;
  }

  /** The outputs, in order. */
  public List<ArgSpec> outputs() {
    return outputs;
  }

  /** The attrs by name. */
  public Map<String, AttrSpec> attrs() {
    return attrs;
  }

  /** The attr {@code attrName}, if it is declared. */
  public @Nullable AttrSpec attr(String attrName) {
    return attrs.get(attrName);
  }

  /**
   * Whether TensorFlow declares it stateful: it has state or a side effect, or only checks, so that
   * it is run even if nobody needs its outputs.
   */
  public boolean isStateful() {
    return effect != Effect.NONE;
  }

  /** What a run of it has to do with other runs. */
  public Effect effect() {
    return effect;
  }

  /** How output shapes follow from input shapes; every output is of unknown shape without one. */
  public ShapeRule shapeRule() {
    return shapeRule.orElse(in -> Collections.nCopies(outputCount(in.attrs()), Shape.UNKNOWN));
  }

  /**
   * What a node with {@code nodeAttrs} computes for one element, if it works element by element. It
   * goes before the op's kernels, which are for the other nodes.
   */
  public Optional<ScalarRule> scalarRule(Attrs nodeAttrs) {
    return scalarRule.filter(_ -> scalarWhere.test(nodeAttrs));
  }

  /** The kernel for devices of type {@code deviceType}. */
  public Optional<KernelFactory> kernel(String deviceType) {
    return Optional.ofNullable(kernels.get(deviceType));
  }

  /** Whether a run of it may wait for what other runs, of this step or of others, do. */
  public boolean mayWait() {
    return mayWait;
  }

  /**
   * Whether a node of it does nothing but call the function in its attr {@code f}, in its place.
   */
  public boolean isCall() {
    return isCall;
  }

  /** What differs from TensorFlow, for docs/ops.md; empty if nothing does. */
  public String remark() {
    return remark;
  }

  /** Number of outputs of a node with {@code nodeAttrs}. */
  public int outputCount(Attrs nodeAttrs) {
    return outputs.stream().mapToInt(o -> o.count(nodeAttrs)).sum();
  }

  @Override
  public String toString() {
    return name;
  }

  /** Collects a declaration. */
  public static final class Builder {
    private final String name;
    private final List<ArgSpec> inputs;
    private final List<ArgSpec> outputs;
    private final Map<String, AttrSpec> attrs = new LinkedHashMap<>();
    private final Map<String, KernelFactory> kernels = new LinkedHashMap<>();
    private Effect effect = Effect.NONE;
    private @Nullable ShapeRule shapeRule;
    private @Nullable ScalarRule scalarRule;
    private Predicate<Attrs> scalarWhere = _ -> true;
    private boolean mayWait;
    private boolean isCall;
    private String remark = "";

    private Builder(String signature) {
      Matcher m = SYNTAX.matcher(signature.trim());
      if (!m.matches()) {
        throw new IllegalArgumentException("not an op: " + signature);
      }
      this.name = m.group(1);
      this.inputs = args(m.group(2));
      this.outputs = args(given(m.group(3)) + given(m.group(4)));
    }

    private static String given(@Nullable String group) {
      return group == null ? "" : group;
    }

    private static List<ArgSpec> args(String list) {
      List<ArgSpec> result = new ArrayList<>();
      for (String arg : list.split(",", -1)) {
        if (!arg.isBlank()) {
          result.add(ArgSpec.parse(arg));
        }
      }
      return result;
    }

    /** Declares attrs, each as {@link AttrSpec} writes it. */
    public Builder attrs(String... specs) {
      for (String spec : specs) {
        AttrSpec attr = AttrSpec.parse(spec);
        attrs.put(attr.name(), attr);
      }
      return this;
    }

    /** It has state or a side effect, so that rows run one by one. */
    public Builder stateful() {
      return stateful(Effect.CHANGES);
    }

    /** TensorFlow declares it stateful, for the sake of {@code what}. */
    public Builder stateful(Effect what) {
      this.effect = what;
      return this;
    }

    /** Says how output shapes follow from input shapes. */
    public Builder shape(ShapeRule rule) {
      this.shapeRule = rule;
      return this;
    }

    /** Says in a sentence what differs from TensorFlow. */
    public Builder remark(String sentence) {
      this.remark = sentence;
      return this;
    }

    /** An elementwise op: {@code rule} says what it computes; inputs broadcast. */
    public Op scalar(ScalarRule rule) {
      this.scalarRule = rule;
      if (shapeRule == null) {
        shapeRule = ShapeRules.BROADCAST;
      }
      return new Op(this);
    }

    /**
     * Nodes whose attrs pass {@code where} work element by element: {@code rule} says what they
     * compute, and inputs broadcast. A kernel for the others follows.
     */
    public Builder scalarWhere(Predicate<Attrs> where, ScalarRule rule) {
      this.scalarRule = rule;
      this.scalarWhere = where;
      if (shapeRule == null) {
        shapeRule = ShapeRules.BROADCAST;
      }
      return this;
    }

    /** A CPU kernel that is made for each node. */
    public Op kernel(KernelMaker maker) {
      return kernelOn(Device.CPU, maker::create);
    }

    /** A CPU kernel that needs nothing of its node. */
    public Op stateless(Kernel.Sync kernel) {
      return kernelOn(Device.CPU, _ -> kernel);
    }

    /** A CPU kernel that is made for each node and may wait for what other runs do. */
    public Op waiting(WaitingKernelMaker maker) {
      mayWait = true;
      return kernelOn(Device.CPU, maker::create);
    }

    /** The same, where the kernel holds its thread while it waits. */
    public Op blocking(KernelMaker maker) {
      mayWait = true;
      return kernelOn(Device.CPU, maker::create);
    }

    /** A kernel for devices of {@code deviceType}. */
    public Op kernelOn(String deviceType, KernelFactory factory) {
      kernels.put(deviceType, factory);
      return new Op(this);
    }

    /** A call of the function in attr {@code f}: the executor runs the function in its place. */
    public Op call() {
      isCall = true;
      return structural();
    }

    /** An op without a kernel: what it means is known to the reader of its graph. */
    public Op structural() {
      return new Op(this);
    }
  }

  /** Makes a kernel that is done when it returns. */
  @FunctionalInterface
  public interface KernelMaker {
    /** A kernel for {@code node}. */
    Kernel.Sync create(NodeSpec node);
  }

  /** Makes a kernel that may wait, without a thread. */
  @FunctionalInterface
  public interface WaitingKernelMaker {
    /** A kernel for {@code node}. */
    Kernel.Async create(NodeSpec node);
  }
}
