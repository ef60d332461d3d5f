package io.headrace.gpu.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where cuBLAS is looked for. It is NVIDIA's, comes with the CUDA toolkit or as a package of pip,
 * and is never needed: Headrace's own kernels make products where it is absent. Immutable.
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

  /** The major versions that are known, the latest first; one needs a driver of that version. */
  private static final List<Integer> VERSIONS = List.of(13, 12, 11);

  /** Copies the list. */
  public CublasLibraries {
    files = List.copyOf(files);
  }

  /**
   * The library that {@code headrace.cublas.library} names; or those of the folders of {@code
   * CUDA_HOME} and {@code CUDA_PATH}, of {@code VIRTUAL_ENV}'s and {@code CONDA_PREFIX}'s Python
   * packages, of the loader, of CUDA's own folder and of the system's Python packages.
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

  /**
   * The same with the value of the property, and with the system's folders: of CUDA, of Python
   * versions, and of libraries.
   */
  static CublasLibraries of(
      Optional<String> property, Map<String, String> environment, List<Path> system) {
    if (property.isPresent()) {
      return property.get().equals(OFF) ? NONE : new CublasLibraries(List.of(property.get()));
    }
    List<Path> folders = new ArrayList<>();
    for (String name : List.of("CUDA_HOME", "CUDA_PATH")) {
      folder(environment, name).map(home -> home.resolve("lib64")).ifPresent(folders::add);
    }
    for (String name : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
      folder(environment, name)
          .ifPresent(home -> folders.addAll(pythonPackages(home.resolve("lib"))));
    }
    List<String> files = new ArrayList<>();
    add(files, folders);
    for (int version : VERSIONS) {
      files.add(fileName(version));
    }
    List<Path> others = new ArrayList<>();
    for (Path folder : system) {
      others.add(folder);
      others.addAll(pythonPackages(folder));
    }
    add(files, others);
    return new CublasLibraries(files);
  }

  private static Optional<Path> folder(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name))
        .filter(value -> !value.isBlank())
        .map(Path::of);
  }

  /** The folders of cuBLAS in the packages of the Python versions in {@code lib}. */
  private static List<Path> pythonPackages(Path lib) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> pythons = Files.newDirectoryStream(lib, "python3*")) {
      for (Path python : pythons) {
        for (String packages : List.of("site-packages", "dist-packages")) {
          Path nvidia = python.resolve(packages).resolve("nvidia");
          found.add(nvidia.resolve("cu13/lib"));
          found.add(nvidia.resolve("cublas/lib"));
        }
      }
    } catch (IOException | UncheckedIOException _) {
      return List.of(); // no such folder
    }
    return found;
  }

  private static void add(List<String> files, List<Path> folders) {
    for (Path folder : folders) {
      for (int version : VERSIONS) {
        Path file = folder.resolve(fileName(version));
        if (Files.exists(file)) {
          files.add(file.toString());
        }
      }
    }
  }

  private static String fileName(int version) {
    return "libcublas.so." + version;
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
    for (String file : files) {
      try {
        Cublas cublas = Cublas.open(load(file));
        if (cublas.version() / 1000 > driverVersion / 1000) {
          tried.add(
              "%s: of CUDA %s, and the driver is of %s"
                  .formatted(
                      file, CudaDrivers.text(cublas.version()), CudaDrivers.text(driverVersion)));
          continue;
        }
        tried.add(file + ": loaded");
        return new CublasSearch.Found(cublas, file, tried);
      } catch (IllegalArgumentException _) {
        tried.add(file + ": not found, or not cuBLAS");
      } catch (CublasException e) {
        tried.add(file + ": " + e.getMessage());
      }
    }
    return new CublasSearch.Absent("the library is not on this machine", tried);
  }

  @SuppressWarnings("restricted") // NVIDIA's library, or what the user names in its place
  private static SymbolLookup load(String file) {
    return SymbolLookup.libraryLookup(file, Arena.global());
  }
}
