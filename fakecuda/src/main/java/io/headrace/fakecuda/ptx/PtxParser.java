package io.headrace.fakecuda.ptx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the text of a module. It is strict: a directive that it does not know is an error. Debug
 * information is skipped.
 */
public final class PtxParser {
  private final PtxTokens tokens;
  private final PtxDeclarations declarations;
  private final Map<String, PtxFunction> functions = new LinkedHashMap<>();
  private final List<PtxVariable> variables = new ArrayList<>();

  private PtxParser(String text) {
    tokens = new PtxTokens(text);
    declarations = new PtxDeclarations(tokens);
  }

  /**
   * Reads a module.
   *
   * @throws PtxException if the text is wrong
   */
  public static PtxModule parse(String text) {
    return new PtxParser(text).module();
  }

  private PtxModule module() {
    tokens.expect(".version");
    int line = tokens.line();
    String version = tokens.take().text();
    if (!version.matches("[0-9]+\\.[0-9]")) {
      throw new PtxException(line, "a version is MAJOR.MINOR, not " + version);
    }
    tokens.expect(".target");
    int target = target();
    tokens.expect(".address_size");
    if (tokens.count() != 64) {
      throw new PtxException(tokens.line(), "addresses have 64 bits");
    }
    while (!tokens.atEnd()) {
      item();
    }
    return new PtxModule(Integer.parseInt(version.replace(".", "")), target, functions, variables);
  }

  private int target() {
    int line = tokens.line();
    String name = tokens.word();
    if (!name.matches("sm_[0-9]+a?")) {
      throw new PtxException(line, "the target " + name + " is not known");
    }
    return Integer.parseInt(name.replaceAll("\\D", ""));
  }

  private void item() {
    if (tokens.nextIs(".file")) {
      tokens.skipLine();
      return;
    }
    boolean isExtern = false;
    while (tokens.nextIs(".visible") || tokens.nextIs(".extern") || tokens.nextIs(".weak")) {
      isExtern |= tokens.take().is(".extern");
    }
    int line = tokens.line();
    String directive = tokens.word();
    switch (directive) {
      case ".entry", ".func" -> function(directive.equals(".entry"));
      case ".global", ".const", ".shared" -> {
        List<PtxVariable> declared = declarations.variables(directive.substring(1));
        if (isExtern && declared.stream().anyMatch(variable -> variable.count() != 0)) {
          throw new PtxException(line, "an external variable is not known");
        }
        variables.addAll(declared);
      }
      default -> throw new PtxException(line, "the directive " + directive + " is not known");
    }
  }

  private void function(boolean isEntry) {
    List<PtxVariable> results =
        !isEntry && tokens.nextIs("(") ? declarations.parameters() : List.of();
    int line = tokens.line();
    String name = tokens.word();
    List<PtxVariable> parameters = tokens.nextIs("(") ? declarations.parameters() : List.of();
    Map<String, List<Integer>> limits = limits();
    if (tokens.takeIf(";")) {
      return; // a declaration ahead of the definition
    }
    PtxFunction function =
        new PtxBodyParser(tokens, declarations)
            .function(name, isEntry, results, parameters, limits);
    if (functions.put(name, function) != null) {
      throw new PtxException(line, name + " is defined twice");
    }
  }

  private Map<String, List<Integer>> limits() {
    Map<String, List<Integer>> limits = new LinkedHashMap<>();
    while (!tokens.nextIs("{") && !tokens.nextIs(";")) {
      int line = tokens.line();
      String directive = tokens.word();
      switch (directive) {
        case ".noreturn" -> {}
        case ".maxntid", ".reqntid", ".minnctapersm", ".maxnreg" -> {
          List<Integer> values = new ArrayList<>(List.of(tokens.count()));
          while (tokens.takeIf(",")) {
            values.add(tokens.count());
          }
          limits.put(directive.substring(1), values);
        }
        default -> throw new PtxException(line, "the directive " + directive + " is not known");
      }
    }
    return limits;
  }
}
