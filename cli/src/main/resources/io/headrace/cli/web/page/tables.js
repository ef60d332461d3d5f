// Tables whose long lists are shown in parts, and that a word filters.

import { h } from "./dom.js";

const STEP = 50;

/**
 * A table.
 *
 * `columns` are objects with a title, a function from a row to its cell, and `number` for numbers;
 * `rows` are any; `empty` is the sentence for none.
 */
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) {
    return h("p", { class: "empty" }, empty);
  }
  const head = h("tr", null, columns.map((column) => h("th", { scope: "col", class: column.number ? "number" : "" }, column.title)));
  const body = rows.map((row) =>
    h("tr", null, columns.map((column) => h("td", { class: column.number ? "number" : "", "data-title": column.title }, column.cell(row)))),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", null, h("caption", null, caption), h("thead", null, head), h("tbody", null, body)),
  );
}

/** A list that can be filtered and shows its first rows; `draw` makes the table of some rows. */
export class LongList {
  constructor(label, text, draw) {
    this.text = text;
    this.draw = draw;
    this.rows = [];
    this.shown = STEP;
    this.input = h("input", { type: "search", "aria-label": label, placeholder: label, oninput: () => this.show() });
    this.more = h("button", { type: "button", onclick: () => this.showMore() }, "Show more");
    this.place = h("div", null);
    this.note = h("p", { class: "note", "aria-live": "polite" });
    this.element = h("div", null, this.input, this.note, this.place, this.more);
  }

  update(rows) {
    this.rows = rows;
    this.show();
  }

  showMore() {
    this.shown += STEP;
    this.show();
  }

  show() {
    const word = this.input.value.trim().toLowerCase();
    const found = word === "" ? this.rows : this.rows.filter((row) => this.text(row).toLowerCase().includes(word));
    this.place.replaceChildren(this.draw(found.slice(0, this.shown)));
    this.more.hidden = found.length <= this.shown;
    this.note.textContent = found.length > this.shown ? `${this.shown} of ${found.length}` : `${found.length}`;
  }
}
