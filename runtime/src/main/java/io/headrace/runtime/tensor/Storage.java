package io.headrace.runtime.tensor;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The storage of a tensor's elements. Never modified once a tensor refers to it. */
sealed interface Storage {
  /** The elements on the host. */
  HostArray host();

  /** The index, in elements, of the first one in the host's array. */
  int offset();

  /**
   * A Java array of the dtype's {@link ElementKind}, from element {@code offset} on. The array may
   * be longer than the tensor, and other tensors may be views of it.
   */
  record HostArray(Object array, int offset) implements Storage {
    @Override
    public HostArray host() {
      return this;
    }
  }

  /**
   * The memory of a device, and an array as well, from when the host first asked for it. Readers
   * that ask at once may each copy it; one copy is kept. Thread-safe.
   */
  final class OnDevice implements Storage {
    private final DeviceStorage memory;

    private volatile @Nullable HostArray copy;

    OnDevice(DeviceStorage memory) {
      this.memory = memory;
    }

    DeviceStorage memory() {
      return memory;
    }

    @Override
    public HostArray host() {
      HostArray known = copy;
      // No lock is held meanwhile, as the threads that copy may be waiting for it.
      return known == null ? keep(new HostArray(memory.toHost(), 0)) : known;
    }

    private synchronized HostArray keep(HostArray made) {
      HostArray first = copy;
      if (first != null) {
        return first;
      }
      copy = made;
      return made;
    }

    @Override
    public int offset() {
      return 0;
    }
  }

  /**
   * The values of other tensors, one after another, and an array of them all from when someone
   * first asked for it; the other tensors are let go then. So rows that are batched and then sent,
   * or copied elsewhere, are copied once. Thread-safe.
   */
  final class InPieces implements Storage {
    /** Smaller parts are not worth a piece each. */
    private static final int MIN_BYTES = 16 << 10;

    private final ElementKind kind;
    private final int elements;

    private volatile @Nullable List<Tensor> pieces;

    private volatile @Nullable HostArray joined;

    InPieces(ElementKind kind, List<Tensor> pieces) {
      this.kind = kind;
      this.pieces = List.copyOf(pieces);
      this.elements = pieces.stream().mapToInt(Tensor::elements).reduce(0, Math::addExact);
    }

    /** Whether {@code part} is large, and no small part of a larger array, which would be kept. */
    static boolean takes(Tensor part) {
      ElementKind kind = part.dtype().kind();
      return kind.isFixedWidth()
          && part.byteSize() >= MIN_BYTES
          && switch (part.storage()) {
            case HostArray(Object array, int _) -> kind.capacity(array) / 2 < part.elements();
            case InPieces _ -> true;
            case OnDevice _ -> false;
          };
    }

    /** The tensors, unless they were joined. */
    @Nullable List<Tensor> pieces() {
      return pieces;
    }

    @Override
    public HostArray host() {
      HostArray known = joined;
      return known == null ? join() : known;
    }

    private synchronized HostArray join() {
      HostArray known = joined;
      List<Tensor> parts = pieces;
      if (known != null || parts == null) {
        return Objects.requireNonNull(known);
      }
      Object array = kind.newArray(elements);
      copy(parts, kind, array);
      HostArray made = new HostArray(array, 0);
      joined = made;
      pieces = null;
      return made;
    }

    /**
     * Those of {@code pieces} whose values are the {@code count} from {@code from} on; none if
     * these begin or end within a piece.
     */
    static List<Tensor> covered(List<Tensor> pieces, int from, int count) {
      int first = 0;
      int at = 0;
      while (first < pieces.size() && at < from) {
        at += pieces.get(first++).elements();
      }
      int last = first;
      int end = at;
      while (last < pieces.size() && end < from + count) {
        end += pieces.get(last++).elements();
      }
      return at == from && end == from + count ? pieces.subList(first, last) : List.of();
    }

    /** Copies the values of {@code parts}, one after another, to the beginning of {@code array}. */
    static void copy(List<Tensor> parts, ElementKind kind, Object array) {
      int at = 0;
      for (Tensor part : parts) {
        kind.copy(part.array(), part.offset(), array, at, part.elements());
        at += part.elements();
      }
    }

    @Override
    public int offset() {
      return 0;
    }
  }
}
