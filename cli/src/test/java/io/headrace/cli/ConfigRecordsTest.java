package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The records that configure what programs make: a program can change each component of a default
 * without a call of the constructor.
 */
final class ConfigRecordsTest {
  private static final List<String> PACKAGES =
      List.of(
          "io.headrace.client",
          "io.headrace.dataset",
          "io.headrace.dispatcher",
          "io.headrace.worker");

  /** The methods that change a component and are not named after it. */
  private static final Map<String, String> OTHERWISE_NAMED =
      Map.of(
          "DistributeOptions.resumed", "resumedFrom",
          "DistributeOptions.consumer", "withConsumers",
          "DistributeOptions.trainerId", "withCrossTrainerCache",
          "SaveOptions.shard", "shards");

  @Test
  void eachComponentOfAConfiguration_hasAMethodThatChangesIt() {
    List<Class<?>> records = records();

    assertThat(records.stream().map(Class::getSimpleName))
        .contains("WorkerConfig", "DispatcherConfig", "DistributeOptions", "SaveOptions");
    assertThat(
            records.stream()
                .flatMap(type ->
                    Arrays.stream(type.getRecordComponents())
                        .filter(component -> !canBeChanged(type, component))
                        .map(component -> type.getSimpleName() + "." + component.getName())))
        .as("components without a method that changes them")
        .isEmpty();
  }

  private static List<Class<?>> records() {
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(PACKAGES).stream()
            .filter(type -> PACKAGES.contains(type.getPackageName()))
            .filter(type -> type.isTopLevelClass() && type.isRecord())
            .filter(type -> type.getSimpleName().matches(".*(Config|Options)"))
            .<Class<?>>map(JavaClass::reflect)
            .toList();
  }

  /** Whether a public method of the record, or of its builder, has the name for the component. */
  private static boolean canBeChanged(Class<?> type, RecordComponent component) {
    String name = component.getName();
    String other = OTHERWISE_NAMED.getOrDefault(type.getSimpleName() + "." + name, name);
    String with = "with" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    return Stream.concat(Stream.of(type), Arrays.stream(type.getClasses()))
        .flatMap(in -> Arrays.stream(in.getMethods()).filter(method -> changes(in, method)))
        .anyMatch(method -> method.getName().equals(with) || method.getName().equals(other));
  }

  /** Whether {@code method} makes another {@code type}, or changes a builder, as it is told. */
  private static boolean changes(Class<?> type, Method method) {
    boolean isTold = method.getParameterCount() > 0 || method.getName().startsWith("with");
    return isTold && method.getReturnType() == type && !Modifier.isStatic(method.getModifiers());
  }
}
