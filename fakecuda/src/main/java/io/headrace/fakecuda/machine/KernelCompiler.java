package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxException;
import io.headrace.fakecuda.ptx.PtxFunction;
import io.headrace.fakecuda.ptx.PtxInstruction;
import io.headrace.fakecuda.ptx.PtxModule;
import io.headrace.fakecuda.ptx.PtxType;
import io.headrace.fakecuda.ptx.PtxVariable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compiles a kernel into steps. Each call of a function is given a copy of its instructions behind
 * those of the kernel, with registers and variables of its own; so there is no stack, and no
 * recursion.
 */
final class KernelCompiler {
  private static final int DYNAMIC_SHARED_ALIGNMENT = 16;

  private final PtxModule module;
  private final DeviceMemory memory;
  private final Map<String, Long> variables;
  private final Map<String, Symbol> sharedOfModule = new HashMap<>();
  private final List<KernelStep> steps = new ArrayList<>();
  private final List<String> places = new ArrayList<>();
  private final List<String> registers = new ArrayList<>();
  private final Deque<Body> bodies = new ArrayDeque<>();
  private int end;
  private int localBytes;
  private int sharedBytes;
  private boolean hasDynamicShared;

  KernelCompiler(PtxModule module, DeviceMemory memory, Map<String, Long> variables) {
    this.module = module;
    this.memory = memory;
    this.variables = variables;
  }

  /**
   * The instructions of a function in one place.
   *
   * @param start the index of the first one
   * @param next the index behind a return; {@link KernelStep#EXIT} for the kernel
   * @param symbols what its parameters stand for
   * @param callers the functions that are active, this one included
   */
  private record Body(
      PtxFunction function,
      int start,
      int next,
      Map<String, Symbol> symbols,
      Set<String> callers) {}

  KernelCode compile(PtxFunction kernel) {
    Map<String, Symbol> parameters = new HashMap<>();
    List<GpuKernel.Parameter> layout = GpuKernel.layout(kernel.parameters());
    for (int i = 0; i < layout.size(); i++) {
      GpuKernel.Parameter place = layout.get(i);
      parameters.put(
          kernel.parameters().get(i).name(),
          new Symbol.KernelParameter(place.offset(), place.bytes()));
    }
    enqueue(kernel, KernelStep.EXIT, parameters, Set.of());
    while (!bodies.isEmpty()) {
      compile(bodies.remove());
    }
    if (hasDynamicShared) {
      sharedBytes = align(sharedBytes, DYNAMIC_SHARED_ALIGNMENT);
    }
    return new KernelCode(
        kernel.name(),
        steps,
        places,
        registers,
        localBytes,
        sharedBytes,
        hasDynamicShared,
        kernel.parameters(),
        kernel.limits());
  }

  private int enqueue(
      PtxFunction function, int next, Map<String, Symbol> symbols, Set<String> callers) {
    Set<String> active = new HashSet<>(callers);
    active.add(function.name());
    int start = end;
    end += function.body().size() + 1;
    bodies.add(new Body(function, start, next, symbols, Set.copyOf(active)));
    return start;
  }

  private void compile(Body body) {
    PtxFunction function = body.function();
    Map<String, Symbol> symbols = new HashMap<>(body.symbols());
    function.registers().forEach((name, type) -> symbols.put(name, register(name, type)));
    function.variables().forEach(variable -> symbols.put(variable.name(), place(variable)));
    for (int i = 0; i < function.body().size(); i++) {
      PtxInstruction instruction = function.body().get(i);
      try {
        steps.add(compile(body, symbols, instruction, body.start() + i));
      } catch (IllegalArgumentException e) {
        throw new PtxException(instruction.line(), instruction.text() + ": " + e.getMessage());
      }
      places.add("line %d (%s)".formatted(instruction.line(), instruction.text()));
    }
    int next = body.next();
    steps.add(_ -> next);
    places.add("the end of " + function.name());
  }

  private KernelStep compile(
      Body body, Map<String, Symbol> symbols, PtxInstruction instruction, int index) {
    Decoding decoding = new Decoding(instruction, this, symbols, body.function().labels());
    decoding.place(index, body.start(), body.next());
    KernelStep step =
        instruction.opcode().equals("call")
            ? call(body, symbols, decoding)
            : Opcodes.compile(decoding);
    Optional<PtxInstruction.Guard> guard = instruction.guard();
    if (guard.isEmpty()) {
      return step;
    }
    Value predicate = decoding.predicate(guard.get().predicate());
    long skips = guard.get().negated() ? 1 : 0;
    int next = index + 1;
    return thread -> predicate.get(thread) == skips ? next : step.run(thread);
  }

  /** Compiles {@code call{.uni} (result), function, (arguments)}: PTX ISA, control-flow, call. */
  private KernelStep call(Body body, Map<String, Symbol> symbols, Decoding decoding) {
    var _ = decoding.take("uni");
    decoding.endOfModifiers();
    Decoding.Call call = decoding.call();
    PtxFunction callee = module.functions().get(call.function());
    if (callee == null) {
      throw new IllegalArgumentException("there is no function " + call.function());
    }
    if (body.callers().contains(callee.name())) {
      throw new IllegalArgumentException("recursion is not known");
    }
    Map<String, Symbol> parameters = new HashMap<>();
    bind(callee.results(), call.results(), symbols, parameters);
    bind(callee.parameters(), call.arguments(), symbols, parameters);
    int start = enqueue(callee, decoding.next(), parameters, body.callers());
    return _ -> start;
  }

  /** Lets formal parameters stand for the caller's variables. */
  private static void bind(
      List<PtxVariable> formal,
      List<String> actual,
      Map<String, Symbol> symbols,
      Map<String, Symbol> bound) {
    if (formal.size() != actual.size()) {
      throw new IllegalArgumentException(
          "%d parameters are given, %d are expected".formatted(actual.size(), formal.size()));
    }
    for (int i = 0; i < formal.size(); i++) {
      Symbol symbol = symbols.get(actual.get(i));
      if (!(symbol instanceof Symbol.Local(_, int bytes)) || bytes != formal.get(i).bytes()) {
        throw new IllegalArgumentException(
            actual.get(i) + " is not a .param variable of the size of " + formal.get(i).name());
      }
      bound.put(formal.get(i).name(), symbol);
    }
  }

  private Symbol register(String name, PtxType type) {
    registers.add(name.replaceFirst("#.*", ""));
    return new Symbol.Register(registers.size() - 1, type);
  }

  private Symbol place(PtxVariable variable) {
    if (variable.space().equals("shared")) {
      return placeShared(variable);
    }
    localBytes = align(localBytes, variable.align());
    int offset = localBytes;
    localBytes += variable.bytes();
    return new Symbol.Local(offset, variable.bytes());
  }

  private Symbol placeShared(PtxVariable variable) {
    if (variable.count() == 0) {
      hasDynamicShared = true;
      return new Symbol.DynamicShared();
    }
    sharedBytes = align(sharedBytes, variable.align());
    int offset = sharedBytes;
    sharedBytes += variable.bytes();
    return new Symbol.Shared(offset);
  }

  private static int align(int offset, int align) {
    return (offset + align - 1) / align * align;
  }

  /** The meaning of a name that the function does not declare: a variable of the module. */
  Optional<Symbol> ofModule(String name) {
    Long address = variables.get(name);
    if (address != null) {
      return Optional.of(new Symbol.Global(address));
    }
    return module.variables().stream()
        .filter(variable -> variable.name().equals(name))
        .map(variable -> sharedOfModule.computeIfAbsent(name, _ -> placeShared(variable)))
        .findFirst();
  }

  DeviceMemory memory() {
    return memory;
  }
}
