package io.headrace.kernels.io;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** ReadFile, WriteFile and MatchingFiles, on local files. Errors name the file. */
final class FileOps {
  private FileOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ReadFile(filename: string) -> contents: string")
            .touches(Touch.READS_FILES)
            .shape(ShapeFunctions.SCALAR)
            .stateless(FileOps::readFile),
        Op.define("MatchingFiles(pattern: string) -> filenames: string")
            .touches(Touch.READS_FILES)
            .shape(_ -> List.of(Shape.of(Shape.UNKNOWN_DIMENSION)))
            .kernel(node -> {
              Attrs attrs = node.attrs();
              boolean mustMatch =
                  attrs.has(DataFiles.MUST_MATCH) && attrs.bool(DataFiles.MUST_MATCH);
              return call -> matchingFiles(call, mustMatch);
            }),
        Op.define("WriteFile(filename: string, contents: string)")
            .stateful()
            .touches(Touch.WRITES_FILES)
            .shape(in -> {
              Shapes.withRank(in.shape(0), 0);
              Shapes.withRank(in.shape(1), 0);
              return List.of();
            })
            .stateless(FileOps::writeFile));
  }

  private static void writeFile(KernelCall call) {
    Tensor name = call.input(0);
    Tensor contents = call.input(1);
    if (name.shape().rank() != 0) {
      throw invalidArgument(
          "Input filename tensor must be scalar, but had shape: %s", name.shape());
    }
    if (contents.shape().rank() != 0) {
      throw invalidArgument("Contents tensor must be scalar, but had shape: %s", contents.shape());
    }
    String file = ByteStrings.text(name.string(0));
    DataFiles.createFolders(DataFiles.folderOf(file));
    DataFiles.write(file, contents.string(0));
  }

  private static void readFile(KernelCall call) {
    Tensor name = call.input(0);
    if (name.shape().rank() != 0) {
      throw invalidArgument(
          "Input filename tensor must be scalar, but had shape: %s", name.shape());
    }
    call.setOutput(0, Tensor.wrap(DataFiles.read(ByteStrings.text(name.string(0)))));
  }

  private static void matchingFiles(KernelCall call, boolean mustMatch) {
    Tensor patterns = call.input(0);
    if (patterns.shape().rank() > 1) {
      throw invalidArgument(
          "Input patterns tensor must be scalar or vector, but had shape: %s", patterns.shape());
    }
    List<String> found = new ArrayList<>();
    for (int i = 0; i < patterns.elements(); i++) {
      found.addAll(DataFiles.matching(ByteStrings.text(patterns.string(i)), call.cancellation()));
    }
    if (mustMatch && found.isEmpty()) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "no file matches \"%s\", as this process sees it, whose working directory is %s;"
              + " Dataset.listFilesOrEmpty and FileSet.orEmpty accept a pattern without files",
          Arrays.stream(patterns.strings())
              .map(ByteStrings::text)
              .collect(Collectors.joining("\" or \"")),
          Path.of("").toAbsolutePath());
    }
    byte[][] names =
        found.stream()
            .map(name -> name.getBytes(UTF_8))
            .sorted(Arrays::compareUnsigned)
            .toArray(byte[][]::new);
    call.setOutput(0, Tensor.wrap(DataType.STRING, Shape.of(names.length), names));
  }
}
