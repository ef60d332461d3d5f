package io.headrace.runtime.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
   * Memory of the host outside the Java heap, and an array instead, from when someone first asked
   * for it; the memory is let go then. Thread-safe.
   */
  final class InNative implements Storage {
    private final ElementKind kind;
    private final int elements;

    private volatile @Nullable MemorySegment segment;

    private volatile @Nullable HostArray copy;

    InNative(ElementKind kind, int elements, MemorySegment segment) {
      this.kind = kind;
      this.elements = elements;
      this.segment = segment.asReadOnly();
    }

    /** The elements, little-endian, unless there is an array of them. */
    @Nullable MemorySegment segment() {
      return segment;
    }

    @Override
    public HostArray host() {
      HostArray known = copy;
      return known == null ? copy() : known;
    }

    private synchronized HostArray copy() {
      HostArray known = copy;
      MemorySegment from = segment;
      if (known != null || from == null) {
        return Objects.requireNonNull(known);
      }
      Object array = kind.newArray(elements);
      TensorContent.readNumbers(from, 0, array);
      HostArray made = new HostArray(array, 0);
      copy = made;
      segment = null;
      return made;
    }

    @Override
    public int offset() {
      return 0;
    }
  }

  /**
   * The memory of a device, and that of the host as well, from when someone there first asked for
   * it. Readers that ask at once may each copy it; one copy is kept. Thread-safe.
   */
  final class OnDevice implements Storage {
    private final ElementKind kind;
    private final int elements;
    private final DeviceStorage memory;

    /** A {@link HostArray} or an {@link InNative}. */
    private volatile @Nullable Storage copy;

    OnDevice(ElementKind kind, int elements, DeviceStorage memory) {
      this.kind = kind;
      this.elements = elements;
      this.memory = memory;
    }

    DeviceStorage memory() {
      return memory;
    }

    @Override
    public HostArray host() {
      Storage known = copy;
      // No lock is held meanwhile, as the threads that copy may be waiting for it.
      return (known == null ? keep(new HostArray(memory.toHost(), 0)) : known).host();
    }

    /** The elements outside the heap, copied there unless they are in an array; null if so. */
    @Nullable MemorySegment segment() {
      Storage known = copy;
      if (known == null) {
        Optional<MemorySegment> made = memory.toNative();
        known = made.isEmpty() ? null : keep(new InNative(kind, elements, made.get()));
      }
      return known instanceof InNative memoryOfHost ? memoryOfHost.segment() : null;
    }

    private synchronized Storage keep(Storage made) {
      Storage first = copy;
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
            case InPieces _, InNative _ -> true;
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
        MemorySegment segment = part.storage() instanceof InNative there ? there.segment() : null;
        if (segment == null) {
          kind.copy(part.array(), part.offset(), array, at, part.elements());
        } else {
          int slots = kind.slots();
          TensorContent.readNumbers(segment, 0, array, at * slots, part.elements() * slots);
        }
        at += part.elements();
      }
    }

    @Override
    public int offset() {
      return 0;
    }
  }
}
