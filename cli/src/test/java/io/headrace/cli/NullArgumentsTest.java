package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DispatcherInspection;
import io.headrace.client.DispatcherOperations;
import io.headrace.dataset.Buckets;
import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Csv;
import io.headrace.dataset.CsvWriter;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Field;
import io.headrace.dataset.FileSet;
import io.headrace.dataset.Placement;
import io.headrace.dataset.Resampling;
import io.headrace.dataset.Structure;
import io.headrace.dataset.TfRecordWriter;
import io.headrace.dataset.TypedDataset;
import io.headrace.dataset.TypedIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.dispatcher.DispatcherView;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerConfig.DataTransfer;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The public methods and constructors that programs call, each with null for one argument in turn:
 * the exception comes at the call and names the parameter.
 */
@Timeout(120)
final class NullArgumentsTest {
  private static final String ROOT = "io.headrace.";

  /** The types of public-types.txt that programs call which read, write, or embed servers. */
  private static final Pattern CALLED =
      Pattern.compile("(client|dataset|dispatcher|worker)[.].*|runtime[.]graph[.]Output");

  /** Of these, the ones that the modules call among themselves, or only hand out. */
  private static final Pattern INTERNAL =
      Pattern.compile(
          "client[.]Service(Ops|Plans)"
              + "|dataset[.](ChunkReader|ElementSpecs|Structure)"
              + "|dispatcher[.](DatasetExplanation|JournalInspection|Dispatcher(Counts|Statistics))"
              + "|worker[.]Worker(Counts|Host)");

  private static final int MAX_DEPTH = 3;

  private final Map<Class<?>, Object> samples = new HashMap<>();
  private final List<String> nameless = new ArrayList<>();
  private final List<String> left = new ArrayList<>();
  private int calls;

  @TempDir private Path folder;

  @Test
  void nullArguments_areRefusedByName() throws IOException {
    List<Class<?>> types = types();
    addSamples();
    try (DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
        WorkerServer worker = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
        CsvWriter csv =
            CsvWriter.create(folder.resolve("a.csv").toString(), Csv.of(Field.int64("id")));
        TfRecordWriter records = TfRecordWriter.create(folder.resolve("a.tfrecord").toString());
        ElementIterator elements = Dataset.range(3).iterator();
        TypedIterator<Numbered> rows = Dataset.range(3).as(Numbered.class).iterator()) {
      Stream.of(dispatcher, worker, csv, records, elements, rows)
          .forEach(opened -> samples.put(opened.getClass(), opened));
      samples.put(DispatcherView.class, dispatcher.view());
      samples.put(WorkerConfig.class, WorkerConfig.forDispatcher(dispatcher.address()));
      checkAll(types);
    }
    assertThat(left).as("calls for which there is no object or no argument").isEmpty();
    assertThat(nameless).as("calls whose failure does not name the parameter").isEmpty();
    assertThat(calls).isGreaterThan(300);
  }

  /** A record of a program. */
  record Numbered(long id) {}

  private void checkAll(List<Class<?>> types) {
    // In a lambda, because symbolic values belong to one.
    var _ =
        Dataset.range(3)
            .map(x -> {
              samples.put(Output.class, x);
              types.forEach(this::callAll);
              return x;
            });
  }

  private static List<Class<?>> types() throws IOException {
    List<Class<?>> found = new ArrayList<>();
    try (InputStream list =
        Objects.requireNonNull(NullArgumentsTest.class.getResourceAsStream("public-types.txt"))) {
      for (String name : new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        if (CALLED.matcher(name).matches() && !INTERNAL.matcher(name).matches()) {
          found.add(Class.forName(ROOT + name));
        }
      }
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
    return found;
  }

  private void addSamples() {
    samples.put(boolean.class, false);
    samples.put(int.class, 1);
    samples.put(char.class, ',');
    samples.put(long.class, 1L);
    samples.put(float.class, 1f);
    samples.put(double.class, 1.0);
    samples.put(Object.class, 1L);
    samples.put(String.class, "/no/such/folder/file");
    samples.put(Path.class, Path.of("/no/such/folder"));
    samples.put(Class.class, Long.class);
    samples.put(List.class, List.of());
    samples.put(Iterable.class, List.of());
    samples.put(Map.class, Map.of());
    samples.put(Optional.class, Optional.empty());
    samples.put(OptionalLong.class, OptionalLong.empty());
    samples.put(Duration.class, Duration.ofSeconds(1));
    samples.put(Tensor.class, Tensor.scalar(1L));
    samples.put(Shape.class, Shape.of());
    samples.put(Dataset.class, Dataset.range(3));
    samples.put(Record.class, new Numbered(1));
    samples.put(Csv.class, Csv.of(Field.int64("id")));
    samples.put(Field[].class, new Field[] {Field.int64("id")});
    samples.put(Checkpoint.class, Checkpoint.ofJson("{format: 2, repetitions: [{repetition: 1}]}"));
    samples.put(CheckpointProto.Builder.class, CheckpointProto.newBuilder());
    samples.put(FileSet.class, Dataset.files("/no/such/folder/*"));
    samples.put(Placement.class, Placement.device("/job:worker/task:0"));
    samples.put(Buckets.class, Buckets.of(new long[] {5}, new long[] {2, 2}));
    samples.put(Resampling.class, Resampling.to(0.5, 0.5));
    samples.put(DataTransfer.class, DataTransfer.DEFAULT);
    String target = "grpc://localhost:1";
    samples.put(DispatcherInspection.class, DispatcherInspection.of(target, Duration.ofSeconds(1)));
    samples.put(DispatcherOperations.class, DispatcherOperations.of(target, Duration.ofSeconds(1)));
    samples.put(Structure.class, Dataset.range(3).structure());
    samples.put(TypedDataset.class, Dataset.range(3).as(Numbered.class));
  }

  private void callAll(Class<?> type) {
    Stream.concat(Arrays.stream(type.getConstructors()), Arrays.stream(type.getDeclaredMethods()))
        .filter(called -> Modifier.isPublic(called.getModifiers()))
        .filter(called -> !Modifier.isAbstract(called.getModifiers()) && !called.isSynthetic())
        .filter(called -> !called.getName().equals("equals"))
        .filter(called -> !type.isEnum())
        .forEach(this::call);
  }

  private void call(Executable called) {
    Parameter[] parameters = called.getParameters();
    for (int i = 0; i < parameters.length; i++) {
      if (!parameters[i].getType().isPrimitive() && !isNullable(parameters[i])) {
        Optional<Object> receiver = receiver(called);
        Optional<Object[]> arguments = samples(called, 0);
        if (receiver.isPresent() && arguments.isPresent()) {
          @Nullable Object[] changed = new @Nullable Object[parameters.length];
          System.arraycopy(arguments.get(), 0, changed, 0, changed.length);
          changed[i] = null;
          calls++;
          check(called, receiver.get(), changed, parameters[i].getName());
        } else {
          left.add(called.toString());
        }
      }
    }
  }

  private static boolean isNullable(Parameter parameter) {
    return parameter.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  /** The object to call; any for a static method or a constructor. */
  private Optional<Object> receiver(Executable called) {
    return called instanceof Constructor || Modifier.isStatic(called.getModifiers())
        ? Optional.of(this)
        : sample(called.getDeclaringClass(), 0);
  }

  private void check(
      Executable called, Object receiver, @Nullable Object[] arguments, String parameter) {
    String outcome;
    try {
      outcome = "no exception: " + invoke(called, receiver, arguments).getClass();
    } catch (InvocationTargetException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      String message = String.valueOf(cause.getMessage());
      if (cause instanceof NullPointerException
          && Pattern.compile("^" + parameter + "\\b.* is null$").matcher(message).find()) {
        return;
      }
      outcome = cause.toString();
    }
    nameless.add(
        "%s.%s(%s): %s: %s"
            .formatted(
                called.getDeclaringClass().getSimpleName(),
                called instanceof Constructor ? "<init>" : called.getName(),
                Arrays.stream(called.getParameters())
                    .map(p -> p.getType().getSimpleName() + " " + p.getName())
                    .collect(Collectors.joining(", ")),
                parameter,
                outcome));
  }

  private static Object invoke(Executable called, Object receiver, @Nullable Object[] arguments)
      throws InvocationTargetException {
    try {
      Object result =
          called instanceof Constructor<?> constructor
              ? constructor.newInstance(arguments)
              : ((Method) called).invoke(receiver, arguments);
      return result == null ? "null" : result;
    } catch (ReflectiveOperationException e) {
      if (e instanceof InvocationTargetException thrown) {
        throw thrown;
      }
      throw new LinkageError("can't call " + called, e);
    }
  }

  /** An argument for each parameter; empty if there is none for some. */
  private Optional<Object[]> samples(Executable called, int depth) {
    Class<?>[] types = called.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      Optional<Object> argument = sample(types[i], depth);
      if (argument.isEmpty()) {
        return Optional.empty();
      }
      arguments[i] = argument.get();
    }
    return Optional.of(arguments);
  }

  private Optional<Object> sample(Class<?> type, int depth) {
    Object known = samples.get(type);
    if (known == null) {
      known = depth > MAX_DEPTH ? null : make(type, depth);
      if (known != null) {
        samples.put(type, known);
      }
    }
    return Optional.ofNullable(known);
  }

  private @Nullable Object make(Class<?> type, int depth) {
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    if (type.isInterface() && !type.isSealed()) {
      return Proxy.newProxyInstance(
          type.getClassLoader(),
          new Class<?>[] {type},
          (_, method, _) -> {
            throw new UnsupportedOperationException("the sample's " + method);
          });
    }
    return Stream.concat(
            Arrays.stream(type.getMethods())
                .filter(made -> Modifier.isStatic(made.getModifiers()))
                .filter(made -> made.getReturnType() == type),
            Arrays.stream(type.getConstructors()))
        .map(made -> made(made, depth + 1))
        .flatMap(Optional::stream)
        .findFirst()
        .orElse(null);
  }

  private Optional<Object> made(Executable maker, int depth) {
    return samples(maker, depth)
        .flatMap(arguments -> {
          try {
            return Optional.of(invoke(maker, this, arguments));
          } catch (InvocationTargetException e) {
            return Optional.empty(); // these arguments are none
          }
        });
  }
}
