package io.headrace.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.time.SystemTicker;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The module and package dependencies of docs/architecture.md. Think hard before changing a rule.
 */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.headrace");

  /** From the bottom up: a module uses only the modules before it. */
  private static final List<String> MODULES =
      List.of(
          "proto",
          "runtime",
          "kernels",
          "fakecuda",
          "gpu",
          "rpc",
          "cluster",
          "dataset",
          "emulator",
          "gcs",
          "journal",
          "dispatcher",
          "worker",
          "client",
          "examples",
          "cli");

  private static final String KERNELS = "io.headrace.kernels.";
  private static final String GRPC_METRICS = "io.grpc.opentelemetry..";

  /** The families of kernels, and the families that each may use beside the shared packages. */
  private static final Map<String, Set<String>> FAMILIES =
      Map.ofEntries(
          Map.entry("checkpoint", Set.of()),
          Map.entry("elementwise", Set.of("variant")),
          Map.entry("example", Set.of("text")),
          Map.entry("flow", Set.of()),
          Map.entry("image", Set.of("image.jpeg", "image.webp", "random")),
          Map.entry("image.jpeg", Set.of()),
          Map.entry("image.webp", Set.of()),
          Map.entry("io", Set.of()),
          Map.entry("linalg", Set.of("elementwise")),
          Map.entry("movement", Set.of()),
          Map.entry("nn", Set.of("elementwise", "linalg", "random", "sparse")),
          Map.entry("protobuf", Set.of()),
          Map.entry("ragged", Set.of("movement", "sparse")),
          Map.entry("random", Set.of("elementwise")),
          Map.entry("regex", Set.of()),
          Map.entry("resource", Set.of("random", "variable", "variant")),
          Map.entry("signal", Set.of()),
          Map.entry("sparse", Set.of("movement", "text")),
          Map.entry("special", Set.of()),
          Map.entry("summary", Set.of("image", "signal")),
          Map.entry("table", Set.of("resource", "text")),
          Map.entry("text", Set.of("movement")),
          Map.entry("variable", Set.of("movement", "random")),
          Map.entry("variant", Set.of()));

  /** The public classes of families; any other public class is a family's list of ops. */
  private static final Set<String> USED_OUTSIDE_THEIR_FAMILY =
      Set.of(
          "checkpoint.BundleMerger",
          "checkpoint.BundleSequence",
          "checkpoint.BundleWriter",
          "elementwise.EqualityKernel",
          "elementwise.Reduction",
          "elementwise.ReductionOps",
          "elementwise.UnaryCompositionOps",
          "image.ImageEncoder",
          "image.PngEncoder",
          "image.jpeg.JpegDecompressor",
          "image.webp.LossyDecoder",
          "image.webp.WebpFile",
          "linalg.FusedEpilogue",
          "linalg.MatrixProduct",
          "movement.FillOps",
          "movement.GatherNdOps",
          "movement.GatherOps",
          "movement.NdIndices",
          "movement.RangeOps",
          "movement.ScatterOps",
          "movement.SegmentOps",
          "movement.SliceUpdate",
          "random.BinomialDraw",
          "random.Distributions",
          "random.IndexShuffle",
          "random.LibcMath",
          "random.Philox",
          "random.PhiloxStream",
          "random.RandomKernels",
          "random.SharedPhilox",
          "random.StatelessSeeds",
          "resource.HandleForm",
          "resource.SharedResource",
          "resource.TensorQueue",
          "signal.WavFile",
          "sparse.FeatureCross",
          "sparse.SparseFillEmptyRowsOps",
          "sparse.SparseTensor",
          "sparse.TensorVariant",
          "table.TableInitializer",
          "text.FieldNumbers",
          "text.StringToHashBucketOps",
          "text.StringToNumberOps",
          "variable.VariableResource",
          "variable.VariableArithmetic",
          "variant.AddableVariant",
          "variant.CompressedElements",
          "variant.CompressedVariant",
          "variant.TensorList",
          "variant.VariantMath");

  private static final Set<DescribedPredicate<? super JavaAccess<?>>> CLOCKS =
      Set.of(
          calls(System.class, "currentTimeMillis"),
          calls(System.class, "nanoTime"),
          calls(Instant.class, "now"),
          calls(LocalDate.class, "now"),
          calls(LocalDateTime.class, "now"),
          calls(OffsetDateTime.class, "now"),
          calls(ZonedDateTime.class, "now"),
          calls(Clock.class, "system"),
          calls(Clock.class, "systemUTC"),
          calls(Clock.class, "systemDefaultZone"),
          calls(Date.class, "<init>"));

  static Stream<Arguments> forbiddenUses() {
    return Stream.of(
            // No module uses one above it.
            MODULES.stream()
                .flatMap(module ->
                    MODULES.stream()
                        .skip(MODULES.indexOf(module) + 1L)
                        .map(above -> Arguments.of(module, above))),
            // Dispatcher, worker and client meet only on the wire.
            Stream.of(
                Arguments.of("worker", "dispatcher"),
                Arguments.of("client", "dispatcher"),
                Arguments.of("client", "worker")),
            // Modules that must not depend on each other.
            Stream.of(
                // Kernels are found by ServiceLoader.
                Arguments.of("rpc", "kernels"),
                Arguments.of("cluster", "kernels"),
                Arguments.of("journal", "kernels"),
                Arguments.of("dispatcher", "kernels"),
                Arguments.of("dataset", "rpc"),
                Arguments.of("dataset", "cluster"),
                Arguments.of("journal", "cluster"),
                Arguments.of("dispatcher", "cluster"),
                Arguments.of("journal", "rpc"),
                Arguments.of("journal", "dataset"),
                Arguments.of("gcs", "emulator"),
                // File systems are found by ServiceLoader.
                Arguments.of("gcs", "dataset"),
                Arguments.of("dispatcher", "gcs"),
                Arguments.of("worker", "gcs"),
                Arguments.of("client", "gcs"),
                Arguments.of("journal", "emulator"),
                Arguments.of("dispatcher", "emulator"),
                Arguments.of("cli", "emulator"),
                // The fake driver stands behind a C library, for tests only.
                Arguments.of("gpu", "fakecuda"),
                Arguments.of("cli", "fakecuda"),
                Arguments.of("gpu", "kernels"),
                Arguments.of("fakecuda", "runtime"),
                Arguments.of("worker", "journal"),
                Arguments.of("client", "journal")))
        .flatMap(pairs -> pairs);
  }

  @ParameterizedTest(name = "{0} does not use {1}")
  @MethodSource("forbiddenUses")
  void module_usesOnlyModulesBelowIt(String module, String forbidden) {
    noClasses()
        .that(resideInAnyPackage(in(module)))
        .should()
        .dependOnClassesThat(resideInAnyPackage(in(forbidden)))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void everyPackage_belongsToAModule() {
    classes()
        .should()
        .resideInAnyPackage(MODULES.stream().map(ArchitectureTest::in).toArray(String[]::new))
        .because("a new module gets its place in MODULES")
        .check(CLASSES);
  }

  @Test
  void packages_areFreeOfCycles() {
    ArchRule rule =
        slices()
            .matching("io.headrace.(**)")
            .should()
            .beFreeOfCycles()
            // Generated code, with the cycles of TensorFlow's .proto files.
            .ignoreDependency(resideInAnyPackage(in("proto")), DescribedPredicate.alwaysTrue());
    rule.check(CLASSES);
  }

  static Stream<String> families() {
    return FAMILIES.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("families")
  void family_usesOnlyTheKitAndTheFamiliesThatItMay(String family) {
    noClasses()
        .that(resideInAnyPackage(ofFamily(family)))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                FAMILIES.keySet().stream()
                    .filter(other -> !other.equals(family))
                    .filter(other -> !FAMILIES.getOrDefault(family, Set.of()).contains(other))
                    .map(ArchitectureTest::ofFamily)
                    .toArray(String[]::new)))
        .check(CLASSES);
  }

  @Test
  void kit_declaresNoOp() {
    noClasses()
        .that(resideInAnyPackage(ofFamily("kit")))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                FAMILIES.keySet().stream().map(ArchitectureTest::ofFamily).toArray(String[]::new)))
        .check(CLASSES);
  }

  @Test
  void everyFamily_isInTheGraphOfFamilies() {
    assertThat(
            CLASSES.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(KERNELS))
                .map(name -> name.substring(KERNELS.length()))
                .filter(name -> !name.equals("kit"))
                .distinct())
        .containsExactlyInAnyOrderElementsOf(FAMILIES.keySet());
  }

  @Test
  void family_showsItsListOfOpsAndWhatOthersUse() {
    assertThat(
            CLASSES.stream()
                .filter(type -> type.getPackageName().startsWith(KERNELS))
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(PUBLIC))
                .map(type -> type.getName().substring(KERNELS.length()))
                .filter(name -> !name.startsWith("kit.") && !name.endsWith("Family")))
        .containsExactlyInAnyOrderElementsOf(USED_OUTSIDE_THEIR_FAMILY);
  }

  @Test
  void packages_areOfASizeThatCanBeRead() {
    Map<String, Long> sizes =
        CLASSES.stream()
            .filter(type -> type.isTopLevelClass() && !type.getPackageName().contains(".proto"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(sizes).allSatisfy((name, size) -> assertThat(size).as(name).isLessThanOrEqualTo(60));
  }

  @Test
  void simpleNames_standForOneThing() {
    Map<String, List<String>> names =
        CLASSES.stream()
            .filter(type -> type.isTopLevelClass() && !type.getPackageName().contains(".proto"))
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getSimpleName,
                    Collectors.mapping(JavaClass::getName, Collectors.toList())));
    assertThat(names.values()).allSatisfy(same -> assertThat(same).hasSize(1));
  }

  @Test
  void packageNames_sayWhatIsInThem() {
    noClasses()
        .should()
        .resideInAnyPackage("..util..", "..utils..", "..common..", "..impl..", "..misc..")
        .check(CLASSES);
  }

  @Test
  void grpcTypes_stayWhereProcessesTalk() {
    noClasses()
        .that(
            resideOutsideOfPackages(
                in("proto"),
                in("rpc"),
                in("cluster"),
                in("dispatcher"),
                in("worker"),
                in("client")))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.grpc..")
                .and(DescribedPredicate.not(resideInAnyPackage(GRPC_METRICS))))
        .check(CLASSES);
  }

  @Test
  void grpcsMetrics_areKnownWhereMetricsAreExported() {
    noClasses()
        .that(resideOutsideOfPackage("io.headrace.cli.metrics.."))
        .should()
        .dependOnClassesThat(resideInAnyPackage(GRPC_METRICS))
        .check(CLASSES);
  }

  @Test
  void openTelemetry_isKnownByItsApiOnly_butWhereMetricsAreExported() {
    noClasses()
        .that(resideOutsideOfPackage("io.headrace.cli.metrics.."))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "io.opentelemetry.sdk..", "io.opentelemetry.exporter..", "io.prometheus.."))
        .check(CLASSES);
  }

  @Test
  void rocksDb_isKnownToTheJournalOnly() {
    noClasses()
        .that(resideOutsideOfPackage(in("journal")))
        .should()
        .dependOnClassesThat(resideInAnyPackage("org.rocksdb.."))
        .check(CLASSES);
  }

  @Test
  void jcuda_isKnownToItsBindingOnly() {
    noClasses()
        .that(resideOutsideOfPackage("io.headrace.gpu.cuda.."))
        .should()
        .dependOnClassesThat(resideInAnyPackage("jcuda.."))
        .check(CLASSES);
  }

  @Test
  void systemClock_isReadBySystemTickerOnly() {
    noClasses()
        .that(DescribedPredicate.not(belongToAnyOf(SystemTicker.class)))
        .should()
        .accessTargetWhere(DescribedPredicate.or(CLOCKS))
        .because("time is handed in, so that every failure can be replayed")
        .check(CLASSES);
  }

  @Test
  void tensorMemory_isReadByKernelsAndCodecsOnly() {
    noClasses()
        .that(
            resideOutsideOfPackages(
                in("runtime"),
                in("kernels"),
                in("rpc"),
                in("dataset.execute"),
                in("gpu.device"),
                in("gpu.kernels"),
                "io.headrace.dispatcher.graph"))
        .should()
        .dependOnClassesThat(belongToAnyOf(TensorMemory.class))
        .because("programs read copies of a tensor's values, which cannot be over-read")
        .check(CLASSES);
  }

  @Test
  void standardOutput_isForTheCommandLine() {
    noClasses()
        .that(resideOutsideOfPackages(in("cli"), in("examples")))
        .and()
        .doNotHaveSimpleName("PrintOps") // implements tf.print
        .should()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .orShould()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .callMethod(Throwable.class, "printStackTrace")
        .check(CLASSES);
  }

  @Test
  void state_changesByItsRecordsOnly() {
    assertThat(CLASSES.get("io.headrace.dispatcher.state.DispatcherState").getMethods())
        .filteredOn(method -> method.getModifiers().contains(PUBLIC))
        .filteredOn(method -> method.getRawReturnType().isEquivalentTo(void.class))
        .extracting(JavaMethod::getName)
        .containsExactly("apply");
    assertThat(
            Stream.of(
                    "Datasets",
                    "Workers",
                    "Jobs",
                    "Iterations",
                    "Iteration",
                    "SplitAccounts",
                    "Snapshots",
                    "DistributedSnapshot")
                .map(name -> CLASSES.get("io.headrace.dispatcher.state." + name))
                .flatMap(table -> table.getMethods().stream())
                .filter(method -> method.getModifiers().contains(PUBLIC))
                .filter(method -> method.getRawReturnType().isEquivalentTo(void.class)))
        .isEmpty();
  }

  private static String ofFamily(String family) {
    return KERNELS + family;
  }

  private static String in(String module) {
    return "io.headrace." + module + "..";
  }

  private static DescribedPredicate<JavaAccess<?>> calls(Class<?> owner, String method) {
    return DescribedPredicate.describe(
        owner.getSimpleName() + "." + method,
        access -> access.getTargetOwner().isEquivalentTo(owner) && access.getName().equals(method));
  }
}
