package com.example.howto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The names by which a program that is a module requires the jars. */
final class ModuleNamesTest {
  private static final Pattern JAR = Pattern.compile("headrace-([a-z]+)-[0-9].*[.]jar");

  @Test
  void jars_areModulesOfThePackageThatTheyBegin() {
    Map<String, String> names = new TreeMap<>();
    Map<String, String> expected = new TreeMap<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Matcher jar = JAR.matcher(Path.of(entry).getFileName().toString());
      if (jar.matches()) {
        names.put(jar.group(1), moduleName(Path.of(entry)));
        expected.put(jar.group(1), "io.headrace." + jar.group(1));
      }
    }

    assertEquals(expected, names);
    assertTrue(names.containsKey("client") && names.containsKey("server"), names::toString);
  }

  private static String moduleName(Path jar) {
    return ModuleFinder.of(jar).findAll().stream()
        .map(module -> module.descriptor().name())
        .findFirst()
        .orElse("no module");
  }
}
