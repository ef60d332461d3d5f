package io.headrace.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.headrace.runtime.time.SystemTicker;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The layering of the house (docs/architecture.md). Think hard before changing a rule here. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.headrace");

  /** Ground floor first: a room uses only rooms that come before it. */
  private static final List<String> ROOMS =
      List.of(
          "proto",
          "runtime",
          "rpc",
          "cluster",
          "dataset",
          "emulator",
          "journal",
          "dispatcher",
          "worker",
          "client",
          "examples",
          "cli");

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
            // Whoever stands above may not be used from below.
            ROOMS.stream()
                .flatMap(room ->
                    ROOMS.stream()
                        .skip(ROOMS.indexOf(room) + 1L)
                        .map(above -> Arguments.of(room, above))),
            // The three that meet only on the wire.
            Stream.of(
                Arguments.of("worker", "dispatcher"),
                Arguments.of("client", "dispatcher"),
                Arguments.of("client", "worker")),
            // Neighbours that have nothing to say to one another.
            Stream.of(
                Arguments.of("dataset", "rpc"),
                Arguments.of("dataset", "cluster"),
                Arguments.of("journal", "cluster"),
                Arguments.of("dispatcher", "cluster"),
                Arguments.of("journal", "rpc"),
                Arguments.of("journal", "dataset"),
                Arguments.of("journal", "emulator"),
                Arguments.of("dispatcher", "emulator"),
                Arguments.of("cli", "emulator"),
                Arguments.of("worker", "journal"),
                Arguments.of("client", "journal")))
        .flatMap(pairs -> pairs);
  }

  @ParameterizedTest(name = "{0} does not use {1}")
  @MethodSource("forbiddenUses")
  void room_usesOnlyRoomsBelowIt(String room, String forbidden) {
    noClasses()
        .that(resideInAnyPackage(in(room)))
        .should()
        .dependOnClassesThat(resideInAnyPackage(in(forbidden)))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void everyPackage_belongsToARoom() {
    classes()
        .should()
        .resideInAnyPackage(ROOMS.stream().map(ArchitectureTest::in).toArray(String[]::new))
        .because("a new room gets its place in ROOMS")
        .check(CLASSES);
  }

  @Test
  void packages_areFreeOfCycles() {
    ArchRule rule =
        slices()
            .matching("io.headrace.(**)")
            .should()
            .beFreeOfCycles()
            // Generated, and as TensorFlow's .proto files have it.
            .ignoreDependency(resideInAnyPackage(in("proto")), DescribedPredicate.alwaysTrue());
    rule.check(CLASSES);
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
        .dependOnClassesThat(resideInAnyPackage("io.grpc.."))
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
  void systemClock_isReadBySystemTickerOnly() {
    noClasses()
        .that(DescribedPredicate.not(belongToAnyOf(SystemTicker.class)))
        .should()
        .accessTargetWhere(DescribedPredicate.or(CLOCKS))
        .because("time is handed in, so that every failure can be replayed")
        .check(CLASSES);
  }

  @Test
  void standardOutput_isForTheCommandLine() {
    noClasses()
        .that(resideOutsideOfPackages(in("cli"), in("examples")))
        .and()
        .doNotHaveSimpleName("PrintOps") // tf.print's
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
  void state_isNotPublic() {
    classes()
        .that()
        .haveSimpleNameEndingWith("State")
        .and()
        .resideOutsideOfPackage(in("proto"))
        .should()
        .notBePublic()
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  private static String in(String room) {
    return "io.headrace." + room + "..";
  }

  private static DescribedPredicate<JavaAccess<?>> calls(Class<?> owner, String method) {
    return DescribedPredicate.describe(
        owner.getSimpleName() + "." + method,
        access -> access.getTargetOwner().isEquivalentTo(owner) && access.getName().equals(method));
  }
}
