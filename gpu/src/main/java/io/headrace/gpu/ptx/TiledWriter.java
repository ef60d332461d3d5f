package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.INT;
import static io.headrace.gpu.ptx.RegisterClass.LONG;

import io.headrace.gpu.ptx.ElementBody.Source;
import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.PtxKernel.Role;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes the body of a {@link TiledPtx}. */
final class TiledWriter {
  /*
   * A thread makes the elements of one column of a tile, or every n-th of them. In a tall tile, the
   * threads of a warp read a staged operand along the tile's other edge, into shared memory, whose
   * rows have an element to spare, so that both ways take all banks. Indices have 32 bits, those of
   * operands relative to that of the first result.
   */

  private static final int PITCH = TiledLayout.EDGE + 1;

  private final PtxCode code;
  private final LoopProgram program;
  private final TiledLayout layout;
  private final KernelParameters arguments;

  /** The threads of a block that share a column. */
  private final int sharing;

  private final int last;

  /** The index of the tile's next element in each operand; of a staged one, of the tile itself. */
  private final Map<Integer, Register> indices = new TreeMap<>();

  /** The address of each staged operand in shared memory. */
  private final Map<Integer, Register> shared = new HashMap<>();

  private final Register element;
  private final Register column;
  private final Register row;

  TiledWriter(PtxCode code, LoopProgram program, TiledLayout layout, List<Parameter> parameters) {
    this.code = code;
    this.program = program;
    this.layout = layout;
    this.sharing = TiledLayout.BLOCK / layout.width();
    this.last = layout.dimensions() - 1;
    for (int i : layout.staged()) {
      code.emit(
          ".shared .align 8 .b8 tile%d[%d]"
              .formatted(i, TiledLayout.stagedBytes(program.inputs().get(i).byteSize())));
    }
    this.arguments = KernelParameters.load(code, parameters);
    for (int i : layout.staged()) {
      shared.put(i, code.compute(LONG, "mov.u64", "tile" + i));
    }
    this.element = code.register(INT);
    this.column = code.register(INT);
    this.row = code.register(INT);
    for (int i = 0; i < layout.access().size(); i++) {
      if (layout.access().get(i) == Access.PARTIAL) {
        indices.put(i, code.register(INT));
      }
    }
  }

  /** Writes the loop over the tiles of a block. */
  void write() {
    Register thread = code.move(INT, "%tid.x");
    Register tile = code.move(INT, "%ctaid.x");
    Register blocks = code.move(INT, "%nctaid.x");
    Register tiles = arguments.get(Role.TILES);
    String end = code.newLabel();
    code.emitIf(code.test("setp.ge.u32", tile, tiles), "bra", end);
    Register x = code.compute(INT, "and.b32", thread, layout.width() - 1);
    Register y =
        code.compute(INT, "shr.u32", thread, Integer.numberOfTrailingZeros(layout.width()));
    ElementBody body =
        new ElementBody(code, program, layout.access(), arguments.errors(code, element));
    body.writeInvariant(arguments.operands(layout.access().size()));
    String top = code.newLabel();
    code.place(top);
    placeTile(tile);
    layout.staged().forEach(operand -> stage(operand, x, y));
    if (!layout.staged().isEmpty()) {
      code.emit("bar.sync", 0);
    }
    writeColumn(body, x, y);
    if (!layout.staged().isEmpty()) {
      code.emit("bar.sync", 0);
    }
    code.emit("add.u32", tile, tile, blocks);
    code.emitIf(code.test("setp.lt.u32", tile, tiles), "bra", top);
    code.place(end);
    code.emit("ret");
  }

  /** Writes the column and the row of a tile, and the indices of the dimensions around it. */
  private void placeTile(Register tile) {
    Register rest = split(tile, arguments.get(Role.ACROSS), column);
    code.emit("mul.lo.u32", column, column, layout.width());
    if (layout.isTall()) {
      rest = split(rest, arguments.get(Role.DOWN), row);
      code.emit("mul.lo.u32", row, row, TiledLayout.EDGE);
    } else {
      code.emit("mov.b32", row, 0);
    }
    code.emit("mov.b32", element, 0);
    indices.values().forEach(index -> code.emit("mov.b32", index, 0));
    for (int dimension = last - 2; dimension >= 0; dimension--) {
      Register coordinate = rest;
      if (dimension > 0) {
        coordinate = code.register(INT);
        rest = split(rest, arguments.get(Role.SIZE, 0, dimension), coordinate);
      }
      move(dimension, coordinate);
    }
  }

  /** Writes a division, and its remainder to {@code remainder}. */
  private Register split(Register value, Register divisor, Register remainder) {
    Register quotient = code.compute(INT, "div.u32", value, divisor);
    Register whole = code.compute(INT, "mul.lo.u32", quotient, divisor);
    code.emit("sub.u32", remainder, value, whole);
    return quotient;
  }

  /** Writes a step of {@code distance} indices of a dimension, for the result and all operands. */
  private void move(int dimension, Register distance) {
    if (dimension == last) {
      code.emit("add.u32", element, element, distance);
    } else {
      Register stride = arguments.get(Role.TARGET_STRIDE, 0, dimension);
      code.emit("mad.lo.u32", element, distance, stride, element);
    }
    indices.forEach((operand, index) -> {
      boolean isInTile = dimension >= last - 1 && layout.staged().contains(operand);
      if (!isInTile) {
        Register stride = arguments.get(Role.STRIDE, operand, dimension);
        code.emit("mad.lo.u32", index, distance, stride, index);
      }
    });
  }

  /** Writes the reads of a tile of an operand: row by row of it, which is a column of results. */
  private void stage(int operand, Register x, Register y) {
    DataSize data = DataSize.of(program.inputs().get(operand).byteSize());
    Register across = code.compute(INT, "add.u32", row, x);
    Register down = code.compute(INT, "add.u32", column, y);
    Register isBeside = code.test("setp.ge.u32", across, arguments.get(Role.SIZE, 0, last - 1));
    Register stride = arguments.get(Role.STRIDE, operand, last);
    Register index =
        code.compute(
            INT,
            "mad.lo.u32",
            across,
            arguments.get(Role.STRIDE, operand, last - 1),
            indexOf(operand));
    code.emit("mad.lo.u32", index, down, stride, index);
    Register distance = code.compute(INT, "mul.lo.u32", stride, sharing);
    Register at = code.compute(INT, "mad.lo.u32", y, PITCH, x);
    for (int part = 0; part < TiledLayout.EDGE; part += sharing) {
      String next = code.newLabel();
      Register size = arguments.get(Role.SIZE, 0, last);
      code.emitIf(code.test("setp.ge.or.u32", down, size, isBeside), "bra", next);
      Register from = address(arguments.get(Role.OPERAND, operand, 0), index, data);
      Register to = address(sharedOf(operand), at, data);
      Register value = code.compute(data.type(), "ld.global." + data.load(), "[" + from + "]");
      code.emit("st.shared." + data.store(), "[" + to + "]", value);
      code.place(next);
      code.emit("add.u32", down, down, sharing);
      code.emit("add.u32", index, index, distance);
      code.emit("add.u32", at, at, PITCH * sharing);
    }
  }

  private Register address(Register base, Register index, DataSize size) {
    return code.compute(LONG, "mad.wide.s32", index, size.bytes(), base);
  }

  private Register indexOf(int operand) {
    Register index = indices.get(operand);
    if (index == null) {
      throw new IllegalStateException("operand " + operand + " has no index");
    }
    return index;
  }

  private Register sharedOf(int operand) {
    Register tile = shared.get(operand);
    if (tile == null) {
      throw new IllegalStateException("operand " + operand + " is not staged");
    }
    return tile;
  }

  /** Writes the loop over the elements of a thread's column. */
  private void writeColumn(ElementBody body, Register x, Register y) {
    String done = code.newLabel();
    code.emit("add.u32", column, column, x);
    Register isBeside = code.test("setp.ge.u32", column, arguments.get(Role.SIZE, 0, last));
    code.emitIf(isBeside, "bra", done);
    Register end = code.compute(INT, "add.u32", row, layout.height());
    code.emit("min.u32", end, end, arguments.get(Role.SIZE, 0, last - 1));
    code.emit("add.u32", row, row, y);
    if (sharing > 1) {
      code.emitIf(code.test("setp.ge.u32", row, end), "bra", done);
    }
    move(last, column);
    move(last - 1, row);
    boolean isStaged = !layout.staged().isEmpty();
    Register staged = isStaged ? code.compute(INT, "mad.lo.u32", x, PITCH, y) : row;
    Register step = code.move(INT, sharing);
    String top = code.newLabel();
    code.place(top);
    body.writeElement(sources(body, staged));
    body.store(arguments.get(Role.OUTPUT), element);
    code.emit("add.u32", row, row, step);
    if (isStaged) {
      code.emit("add.u32", staged, staged, step);
    }
    move(last - 1, step);
    code.emitIf(code.test("setp.lt.u32", row, end), "bra", top);
    code.place(done);
  }

  private Map<Integer, Source> sources(ElementBody body, Register staged) {
    Map<Integer, Source> sources = new HashMap<>();
    for (int i = 0; i < layout.access().size(); i++) {
      if (layout.staged().contains(i)) {
        Register address = body.address(sharedOf(i), staged, program.inputs().get(i));
        sources.put(i, new ElementBody.Address(address, "shared"));
      } else if (layout.access().get(i) != Access.SINGLE) {
        Register index = indices.getOrDefault(i, element);
        Register operand = arguments.get(Role.OPERAND, i, 0);
        sources.put(i, Source.global(body.address(operand, index, program.inputs().get(i))));
      }
    }
    return sources;
  }

  /** How elements of some bytes are copied as they are. */
  private enum DataSize {
    ONE(1, INT, "u8", "b8"),
    TWO(2, INT, "u16", "b16"),
    FOUR(4, INT, "b32", "b32"),
    EIGHT(8, LONG, "b64", "b64");

    private final int bytes;
    private final RegisterClass type;
    private final String load;
    private final String store;

    DataSize(int bytes, RegisterClass type, String load, String store) {
      this.bytes = bytes;
      this.type = type;
      this.load = load;
      this.store = store;
    }

    static DataSize of(int bytes) {
      return switch (bytes) {
        case 1 -> ONE;
        case 2 -> TWO;
        case 4 -> FOUR;
        case 8 -> EIGHT;
        default -> throw new IllegalArgumentException("elements of " + bytes + " bytes");
      };
    }

    int bytes() {
      return bytes;
    }

    RegisterClass type() {
      return type;
    }

    String load() {
      return load;
    }

    String store() {
      return store;
    }
  }
}
