package io.headrace.gpu.cuda;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where cuBLAS is looked for. It is NVIDIA's, comes with the CUDA toolkit or as a package of pip or
 * conda, and is never needed: Headrace's own kernels make products where it is absent. Immutable.
 *
 * @param files the libraries to try, in order: paths, or names that the loader finds
 */
public record CublasLibraries(List<String> files) {
  /** No library: products are made by Headrace's own kernels. */
  public static final CublasLibraries NONE = new CublasLibraries(List.of());

  /** The system property with the library's path, or {@link #OFF}. */
  static final String LIBRARY = "headrace.cublas.library";

  /** The property's value where no library is to be used. */
  static final String OFF = "none";

  /** The major versions that are known, the latest first; each is of the CUDA of that version. */
  private static final List<Integer> VERSIONS = List.of(13, 12);

  private static final String NAME = "libcublas.so.";

  /** The library on which cuBLAS stands, and which lies beside it. */
  private static final String BESIDE = "libcublasLt.so.";

  /** Copies the list. */
  public CublasLibraries {
    files = List.copyOf(files);
  }

  /**
   * The library that {@code headrace.cublas.library} names; or those of {@code CUDA_HOME}, {@code
   * CUDA_PATH}, {@code VIRTUAL_ENV} and {@code CONDA_PREFIX}, with the Python packages there, of
   * the loader, of CUDA's own folder and of the system's Python packages.
   *
   * @param environment the process's variables
   */
  public static CublasLibraries of(Map<String, String> environment) {
    return of(
        Optional.ofNullable(System.getProperty(LIBRARY)),
        environment,
        List.of(
            Path.of("/usr/local/cuda/lib64"),
            Path.of("/usr/local/lib"),
            Path.of("/usr/lib/python3/dist-packages/nvidia/cublas/lib")));
  }

  /** The same with the value of the property, and with the system's folders. */
  static CublasLibraries of(
      Optional<String> property, Map<String, String> environment, List<Path> system) {
    if (property.isPresent()) {
      return property.get().equals(OFF) ? NONE : new CublasLibraries(List.of(property.get()));
    }
    List<Path> folders = new ArrayList<>();
    for (String name : List.of("CUDA_HOME", "CUDA_PATH")) {
      folder(environment, name)
          .ifPresent(home -> folders.addAll(List.of(home.resolve("lib64"), home.resolve("lib"))));
    }
    for (String name : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
      folder(environment, name).ifPresent(home -> addWithPackages(folders, home.resolve("lib")));
    }
    List<String> files = new ArrayList<>();
    addFiles(files, folders);
    for (int version : VERSIONS) {
      files.add(NAME + version);
    }
    List<Path> others = new ArrayList<>();
    system.forEach(folder -> addWithPackages(others, folder));
    addFiles(files, others);
    return new CublasLibraries(files);
  }

  private static Optional<Path> folder(Map<String, String> environment, String name) {
    try {
      return Optional.ofNullable(environment.get(name))
          .filter(value -> !value.isBlank())
          .map(Path::of);
    } catch (InvalidPathException _) {
      return Optional.empty(); // the environment's text is no path in the process's encoding
    }
  }

  /** Adds {@code lib}, and the folders of cuBLAS in the packages of the Python versions there. */
  private static void addWithPackages(List<Path> folders, Path lib) {
    folders.add(lib);
    List<Path> versions = new ArrayList<>();
    try (DirectoryStream<Path> pythons = Files.newDirectoryStream(lib, "python3*")) {
      pythons.forEach(versions::add);
    } catch (IOException | DirectoryIteratorException _) {
      // Nothing can be read there.
    }
    Collections.sort(versions);
    for (Path python : versions) {
      for (String packages : List.of("site-packages", "dist-packages")) {
        Path nvidia = python.resolve(packages).resolve("nvidia");
        folders.add(nvidia.resolve("cu13/lib"));
        folders.add(nvidia.resolve("cublas/lib"));
      }
    }
  }

  private static void addFiles(List<String> files, List<Path> folders) {
    for (Path folder : folders) {
      for (int version : VERSIONS) {
        Path file = folder.resolve(NAME + version);
        if (Files.exists(file)) {
          files.add(file.toString());
        }
      }
    }
  }

  /** The libraries behind {@code file}, which is one of these. */
  public CublasLibraries after(String file) {
    return new CublasLibraries(files.subList(files.indexOf(file) + 1, files.size()));
  }

  /**
   * Loads the first library that can be, for the life of the process.
   *
   * @param driverVersion the CUDA version of the driver, for which a later library is too new
   */
  public CublasSearch search(int driverVersion) {
    if (files.isEmpty()) {
      return new CublasSearch.Absent("it is not to be used", List.of());
    }
    List<String> tried = new ArrayList<>();
    boolean isThere = false;
    for (String file : files) {
      try {
        Cublas cublas = Cublas.open(load(file));
        isThere = true;
        int major = cublas.version() / 1000;
        if (VERSIONS.contains(major) && major <= driverVersion / 1000) {
          tried.add(file + ": loaded");
          return new CublasSearch.Found(cublas, file, tried);
        }
        tried.add(
            "%s: cuBLAS %s, not used with a driver of CUDA %s"
                .formatted(
                    file, CudaDrivers.text(cublas.version()), CudaDrivers.text(driverVersion)));
      } catch (IllegalArgumentException _) {
        tried.add(file + ": not found, or not cuBLAS");
      } catch (CublasException e) {
        tried.add(file + ": " + e.getMessage());
      }
    }
    String reason =
        isThere ? "no library here is of a version to use" : "the library is not on this machine";
    return new CublasSearch.Absent(reason, tried);
  }

  @SuppressWarnings("restricted") // NVIDIA's library, or what the user names in its place
  private static SymbolLookup load(String file) {
    Path beside = Path.of(file.replace(NAME, BESIDE));
    if (file.contains(NAME) && Files.isRegularFile(beside)) {
      // Before the loader's path, which may have that of another version.
      SymbolLookup _ = SymbolLookup.libraryLookup(beside, Arena.global());
    }
    return SymbolLookup.libraryLookup(file, Arena.global());
  }
}
