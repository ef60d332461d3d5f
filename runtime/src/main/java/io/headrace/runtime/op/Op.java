package io.headrace.runtime.op;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private final Set<Touch> touches;
  private final Optional<ShapeFunction> shapeRule;
  private final Optional<ElementwiseRule> scalarRule;
  private final Predicate<Attrs> scalarWhere;
  private final Map<String, KernelFactory> kernels;
  private final boolean mayWait;
  private final boolean isCall;
  private final HostRole hostRole;
  private final Optional<Set<String>> gpuHostInputs;
  private final String remark;

  private Op(Builder b) {
    this.name = b.name;
    this.inputs = List.copyOf(b.inputs);
    this.outputs = List.copyOf(b.outputs);
    this.attrs = Map.copyOf(b.attrs);
    this.effect = b.effect;
    this.touches = Collections.unmodifiableSet(EnumSet.copyOf(b.touches));
    this.shapeRule = Optional.ofNullable(b.shapeRule);
    this.scalarRule = Optional.ofNullable(b.scalarRule);
    this.scalarWhere = b.scalarWhere;
    this.kernels = Map.copyOf(b.kernels);
    this.mayWait = b.mayWait;
    this.isCall = b.isCall;
    this.hostRole = b.hostRole;
    this.gpuHostInputs = Optional.ofNullable(b.gpuHostInputs);
    this.remark = b.remark;
  }

  private Op(Op declared, KernelFactory kernel) {
    this.name = declared.name;
    this.inputs = declared.inputs;
    this.outputs = declared.outputs;
    this.attrs = declared.attrs;
    this.effect = declared.effect;
    this.touches = declared.touches;
    this.shapeRule = declared.shapeRule;
    this.scalarRule = Optional.empty();
    this.scalarWhere = declared.scalarWhere;
    this.kernels = Map.of(Device.CPU, kernel);
    this.mayWait = declared.mayWait;
    this.isCall = false;
    this.hostRole = declared.hostRole;
    this.gpuHostInputs = Optional.empty();
    this.remark = declared.remark;
  }

  private Op(Op newer, String name, Set<String> newerAttrs) {
    this.name = name;
    this.inputs = newer.inputs;
    this.outputs = newer.outputs;
    this.attrs = new LinkedHashMap<>(newer.attrs);
    this.attrs.keySet().removeAll(newerAttrs);
    this.effect = newer.effect;
    this.touches = newer.touches;
    this.shapeRule = newer.shapeRule;
    this.scalarRule = newer.scalarRule;
    this.scalarWhere = newer.scalarWhere;
    this.kernels = new LinkedHashMap<>();
    newer.kernels.forEach(
        (device, kernel) -> kernels.put(device, node -> kernel.create(node.of(newer))));
    this.mayWait = newer.mayWait;
    this.isCall = newer.isCall;
    this.hostRole = newer.hostRole;
    this.gpuHostInputs = newer.gpuHostInputs;
    this.remark = newer.remark;
  }

  /** Begins the declaration {@code Name(input: type, ...) -> (output: type, ...)}. */
  public static Builder define(String signature) {
    return new Builder(signature);
  }

  /** The op's name in TensorFlow. */
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
   * Whether TensorFlow declares the op stateful: it has state or a side effect, or only checks, so
   * that it runs even if its outputs are unused.
   */
  public boolean isStateful() {
    return effect != Effect.NONE;
  }

  /** The op's side effects. */
  public Effect effect() {
    return effect;
  }

  /** Everything that the op touches outside of its step. */
  public Set<Touch> touches() {
    return touches;
  }

  /** The shape function; without one, every output has an unknown shape. */
  public ShapeFunction shapeRule() {
    return shapeRule.orElse(in -> Collections.nCopies(outputCount(in.attrs()), Shape.UNKNOWN));
  }

  /**
   * The scalar computation of a node with {@code nodeAttrs}, if it is elementwise. It takes
   * precedence over the op's kernels, which serve the other nodes.
   */
  public Optional<ElementwiseRule> scalarRule(Attrs nodeAttrs) {
    return scalarRule.filter(_ -> scalarWhere.test(nodeAttrs));
  }

  /** Whether nodes of this op, or some of them, are elementwise. */
  public boolean isElementwise() {
    return scalarRule.isPresent();
  }

  /** The kernel for devices of type {@code deviceType}. */
  public Optional<KernelFactory> kernel(String deviceType) {
    return Optional.ofNullable(kernels.get(deviceType));
  }

  /** Whether the kernel may wait for other nodes, of the same step or of others. */
  public boolean mayWait() {
    return mayWait;
  }

  /**
   * Whether a node of this op only calls the function in its attr {@code f}, so that the executor
   * inlines it.
   */
  public boolean isCall() {
    return isCall;
  }

  /** Whether nodes of this op may be placed on a GPU though they run on the host. */
  public HostRole hostRole() {
    return hostRole;
  }

  /**
   * The inputs that a GPU's kernel reads on the host, by name, if there is one that is written for
   * the op; the kernels of elementwise ops are generated.
   */
  public Optional<Set<String>> gpuHostInputs() {
    return gpuHostInputs;
  }

  /** The difference from TensorFlow, for docs/ops.md; empty if there is none. */
  public String remark() {
    return remark;
  }

  /** The same declaration with {@code maker}'s kernels, on CPUs alone, in place of its own. */
  public Op withKernel(KernelMaker maker) {
    return new Op(this, maker::create);
  }

  /**
   * This op under the name {@code older} that it had before it got {@code newerAttrs}: these have
   * their defaults.
   */
  public Op underOlderName(String older, Set<String> newerAttrs) {
    return new Op(this, older, newerAttrs);
  }

  /** The number of outputs of a node with {@code nodeAttrs}. */
  public int outputCount(Attrs nodeAttrs) {
    return outputs.stream().mapToInt(o -> o.count(nodeAttrs)).sum();
  }

  @Override
  public String toString() {
    return name;
  }

  /** Builds a declaration. */
  public static final class Builder {
    private final String name;
    private final List<ArgSpec> inputs;
    private final List<ArgSpec> outputs;
    private final Map<String, AttrSpec> attrs = new LinkedHashMap<>();
    private final Map<String, KernelFactory> kernels = new LinkedHashMap<>();
    private Effect effect = Effect.NONE;
    private final Set<Touch> touches = EnumSet.noneOf(Touch.class);
    private @Nullable ShapeFunction shapeRule;
    private @Nullable ElementwiseRule scalarRule;
    private Predicate<Attrs> scalarWhere = _ -> true;
    private boolean mayWait;
    private boolean isCall;
    private HostRole hostRole = HostRole.NONE;
    private @Nullable Set<String> gpuHostInputs;
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

    /** Declares attrs in the syntax of {@link AttrSpec}. */
    public Builder attrs(String... specs) {
      for (String spec : specs) {
        AttrSpec attr = AttrSpec.parse(spec);
        attrs.put(attr.name(), attr);
      }
      return this;
    }

    /** Declares state or a side effect, so that rows run one by one. */
    public Builder stateful() {
      return stateful(Effect.CHANGES);
    }

    /** Declares the op stateful in TensorFlow's sense, with the actual effect {@code what}. */
    public Builder stateful(Effect what) {
      this.effect = what;
      return this;
    }

    /** Declares what the op touches outside of its step. */
    public Builder touches(Touch... what) {
      touches.addAll(List.of(what));
      return this;
    }

    /** Sets the shape function. */
    public Builder shape(ShapeFunction rule) {
      this.shapeRule = rule;
      return this;
    }

    /** Declares that nodes may be placed on a GPU: they pass their inputs on, as they are. */
    public Builder passesTensors() {
      this.hostRole = HostRole.PASSES;
      return this;
    }

    /**
     * Declares that nodes may be placed on a GPU though they run on the host: they make or keep
     * tensors, read shapes, or call functions.
     */
    public Builder runsOnHost() {
      this.hostRole = HostRole.WORKS;
      return this;
    }

    /**
     * Declares that a GPU has a kernel for nodes whose inputs and outputs are real numbers or
     * bools: that of a {@link MovingKernel}, or one of its own.
     *
     * @param hostInputs the inputs that it reads on the host
     */
    public Builder runsOnGpu(String... hostInputs) {
      this.gpuHostInputs = Set.of(hostInputs);
      for (String input : hostInputs) {
        if (inputs.stream().noneMatch(argument -> argument.name().equals(input))) {
          throw new IllegalArgumentException(name + " has no input " + input);
        }
      }
      return this;
    }

    /** Documents a difference from TensorFlow, in one sentence. */
    public Builder remark(String sentence) {
      this.remark = sentence;
      return this;
    }

    /** Completes an elementwise op computed by {@code rule}; inputs broadcast. */
    public Op scalar(ElementwiseRule rule) {
      this.scalarRule = rule;
      if (shapeRule == null) {
        shapeRule = ShapeFunctions.BROADCAST;
      }
      return new Op(this);
    }

    /**
     * Declares nodes whose attrs pass {@code where} elementwise, computed by {@code rule}; inputs
     * broadcast. A kernel for the other nodes must follow.
     */
    public Builder scalarWhere(Predicate<Attrs> where, ElementwiseRule rule) {
      this.scalarRule = rule;
      this.scalarWhere = where;
      if (shapeRule == null) {
        shapeRule = ShapeFunctions.BROADCAST;
      }
      return this;
    }

    /** Completes the op with a CPU kernel created per node. */
    public Op kernel(KernelMaker maker) {
      return kernelOn(Device.CPU, maker::create);
    }

    /** Completes the op with one CPU kernel for all nodes. */
    public Op stateless(Kernel.Sync kernel) {
      return kernelOn(Device.CPU, _ -> kernel);
    }

    /** Completes the op with an asynchronous CPU kernel that may wait for other nodes. */
    public Op waiting(WaitingKernelMaker maker) {
      mayWait = true;
      return kernelOn(Device.CPU, maker::create);
    }

    /**
     * Completes the op with a CPU kernel that may block its thread while it waits for other nodes.
     */
    public Op blocking(KernelMaker maker) {
      mayWait = true;
      return kernelOn(Device.CPU, maker::create);
    }

    /** Completes the op with a kernel for devices of type {@code deviceType}. */
    public Op kernelOn(String deviceType, KernelFactory factory) {
      kernels.put(deviceType, factory);
      return new Op(this);
    }

    /** Completes a call of the function in attr {@code f}, which the executor inlines. */
    public Op call() {
      isCall = true;
      return structural();
    }

    /** Completes an op without a kernel, which the executor or the graph reader implements. */
    public Op structural() {
      return new Op(this);
    }
  }

  /** Creates a synchronous kernel. */
  @FunctionalInterface
  public interface KernelMaker {
    /** A kernel for {@code node}. */
    Kernel.Sync create(NodeSpec node);
  }

  /** Creates an asynchronous kernel. */
  @FunctionalInterface
  public interface WaitingKernelMaker {
    /** A kernel for {@code node}. */
    Kernel.Async create(NodeSpec node);
  }
}
