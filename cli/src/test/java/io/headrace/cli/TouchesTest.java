package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.op.KernelFactory;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.Touch;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Ops declare what they touch ({@link Touch}). A dispatcher decides by it which ops of a client's
 * graph it runs, so an op that declares too little is a hole.
 */
final class TouchesTest {
  /** The modules whose code is followed; the runtime is the same to all ops. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.headrace.kernels", "io.headrace.dataset", "io.headrace.client");

  /**
   * Not followed: the list of all ops, which is where random seeds come from, and the worker's
   * check that files are those that the dispatcher saw.
   */
  private static final Pattern FOLLOWED =
      Pattern.compile("io\\.headrace\\.(kernels|dataset|client)\\.(?!CpuOps$|.*\\.SourceFile$).*");

  /** Classes by which code leaves its process. */
  private static final Pattern OUTSIDE =
      Pattern.compile(
          "java\\.nio\\.file\\..*|java\\.nio\\.channels\\..*Channel"
              + "|java\\.io\\.(File.*|RandomAccessFile)|java\\.net\\..*|io\\.grpc\\..*"
              + "|java\\.lang\\.Process.*"
              + "|io\\.headrace\\.runtime\\.file\\.(DataFiles|AtomicFile)");

  /** Beside kernels that reach outside are kernels, in the same class, that do not. */
  private static final Set<String> NEIGHBOURS =
      Set.of("DummyIterationCounter", "InitializeTable", "InitializeTableV2");

  /** Beside kernels that read elements, likewise. */
  private static final Set<String> COUNTING =
      Set.of("DatasetCardinality", "ExperimentalDatasetCardinality");

  @Test
  void op_whoseCodeReachesOutside_declaresIt() {
    Map<String, String> silent = opsReaching(TouchesTest::isOutside, op -> op.touches().isEmpty());

    assertThat(silent.keySet())
        .as("ops that declare too little, by what they reach: %s", silent)
        .containsExactlyInAnyOrderElementsOf(NEIGHBOURS);
  }

  @Test
  void op_thatReadsElementsWhenItRuns_declaresIt() {
    Map<String, String> silent =
        opsReaching(
            TouchesTest::isIterator,
            op -> !isDataset(op) && !op.touches().contains(Touch.ELEMENTS));

    assertThat(silent.keySet())
        .as("ops that declare too little, by what they reach: %s", silent)
        .containsExactlyInAnyOrderElementsOf(COUNTING);
  }

  /** A name belongs here only if the op changes nothing outside its process. */
  @Test
  void opsThatOnlyReadFiles_areThese() {
    assertThat(
            OpRegistry.standard().ops().stream()
                .filter(op -> op.touches().equals(Set.of(Touch.READS_FILES)))
                .map(Op::name)
                .filter(name -> !name.contains("Reader")))
        .containsExactlyInAnyOrder(
            "CSVDataset",
            "CSVDatasetV2",
            "DecodeProtoV2",
            "EncodeProto",
            "ExperimentalCSVDataset",
            "ExperimentalMatchingFilesDataset",
            "ExperimentalSqlDataset",
            "FixedLengthRecordDataset",
            "FixedLengthRecordDatasetV2",
            "FixedUnigramCandidateSampler",
            "InitializeTableFromTextFile",
            "InitializeTableFromTextFileV2",
            "ListSnapshotChunksDataset",
            "LoadDataset",
            "MatchingFiles",
            "MatchingFilesDataset",
            "ReadFile",
            "Restore",
            "RestoreSlice",
            "RestoreV2",
            "SnapshotChunkDataset",
            "SqlDataset",
            "TFRecordDataset",
            "TFRecordDatasetV2",
            "TextLineDataset");
  }

  /** The ops that pass {@code check} and whose code makes an access that passes {@code reached}. */
  private static Map<String, String> opsReaching(
      Predicate<JavaAccess<?>> reached, Predicate<Op> check) {
    Map<Set<String>, Set<String>> accessesOf = new HashMap<>();
    Map<String, String> result = new TreeMap<>();
    for (Op op : OpRegistry.standard().ops()) {
      op.kernel(Device.CPU)
          .filter(_ -> check.test(op))
          .map(TouchesTest::hosts)
          .map(hosts -> accessesOf.computeIfAbsent(hosts, h -> accesses(h, reached)))
          .filter(accesses -> !accesses.isEmpty())
          .ifPresent(accesses -> result.put(op.name(), accesses.toString()));
    }
    return result;
  }

  /** The classes that hold the code of {@code kernel}: of its lambdas, and of what they capture. */
  private static Set<String> hosts(KernelFactory kernel) {
    Set<String> hosts = new TreeSet<>();
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> left = new ArrayDeque<>(List.of(kernel));
    while (!left.isEmpty()) {
      Object part = left.pop();
      String name = part.getClass().getName();
      if (!name.startsWith("io.headrace.") || !seen.add(part)) {
        continue;
      }
      String host = name.replaceFirst("\\$\\$Lambda.*", "");
      if (FOLLOWED.matcher(host).matches()) {
        hosts.add(host);
      }
      left.addAll(fields(part));
    }
    return hosts;
  }

  /** The references that {@code part} holds. */
  private static List<Object> fields(Object part) {
    return Stream.of(part.getClass().getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .filter(field -> !field.getType().isPrimitive())
        .flatMap(field -> Stream.ofNullable(value(field, part)))
        .toList();
  }

  private static @Nullable Object value(Field field, Object part) {
    try {
      field.setAccessible(true);
      return field.get(part);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The accesses that pass {@code reached} of the code of {@code hosts} and of all that it calls; a
   * class that it makes instances of is called in all its methods.
   */
  private static Set<String> accesses(Set<String> hosts, Predicate<JavaAccess<?>> reached) {
    Set<String> found = new TreeSet<>();
    Set<JavaCodeUnit> seen = new HashSet<>();
    Deque<JavaCodeUnit> left = new ArrayDeque<>();
    hosts.forEach(host -> left.addAll(CLASSES.get(host).getCodeUnits()));
    while (!left.isEmpty()) {
      JavaCodeUnit unit = left.pop();
      if (!seen.add(unit)) {
        continue;
      }
      for (JavaAccess<?> access : unit.getAccessesFromSelf()) {
        if (reached.test(access)) {
          found.add(access.getTarget().getFullName());
        }
        left.addAll(called(access));
      }
    }
    return found;
  }

  private static Set<JavaCodeUnit> called(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    if (!FOLLOWED.matcher(owner.getName()).matches()) {
      return Set.of();
    }
    if (access.getName().equals("<init>")) {
      return owner.getCodeUnits();
    }
    return owner.getCodeUnits().stream()
        .filter(unit -> unit.getName().equals(access.getName()))
        .collect(Collectors.toSet());
  }

  private static boolean isOutside(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    return OUTSIDE.matcher(owner).matches()
        || (owner.equals("java.lang.System") && Set.of("out", "err").contains(access.getName()));
  }

  private static boolean isIterator(JavaAccess<?> access) {
    return access.getTargetOwner().getSimpleName().equals("DatasetValue")
        && access.getName().equals("iterator");
  }

  /** Whether {@code op} makes a dataset, which others read. */
  private static boolean isDataset(Op op) {
    return op.name().contains("Dataset")
        && op.outputs().size() == 1
        && op.outputs().getFirst().name().equals("handle");
  }
}
