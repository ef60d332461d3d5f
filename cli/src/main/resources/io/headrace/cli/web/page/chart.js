// Ten minutes of history: lines over time by uPlot, and sparklines of our own.

import uPlot from "./uplot/uPlot.esm.js";
import { h, svg } from "./dom.js";
import { clock } from "./figures.js";

const COLOURS = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];
const HEIGHT = 170;

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A chart of some series of one quantity, which `update` fills. */
export class Chart {
  constructor(title, format, range) {
    this.title = title;
    this.format = format;
    this.range = range;
    this.names = null;
    this.plot = null;
    this.place = h("div", { class: "plot" });
    this.words = h("p", { class: "visually-hidden" });
    this.none = h("p", { class: "empty" });
    this.element = h("figure", null, h("figcaption", null, title), this.place, this.none, this.words);
    new ResizeObserver(() => this.resize()).observe(this.place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
  }

  /**
   * Shows `series`, objects with a name and values, of which -1 is unknown and the last is of `age` seconds ago;
   * the sentence `none` if nothing is known.
   */
  update(series, age, none) {
    const known = series.some((one) => one.values.some((value) => value >= 0));
    this.none.textContent = known ? "" : none;
    this.place.hidden = !known;
    if (!known) {
      return;
    }
    const length = Math.max(0, ...series.map((one) => one.values.length));
    const end = Math.floor(Date.now() / 1000) - age;
    const times = Array.from({ length }, (_, i) => end - length + 1 + i);
    this.data = [times, ...series.map((one) => one.values.map((value) => (value < 0 ? null : value)))];
    const names = series.map((one) => one.name).join("\n");
    if (this.plot === null || names !== this.names) {
      this.names = names;
      this.draw(series.map((one) => one.name));
    } else {
      this.plot.setData(this.data);
    }
    this.words.textContent = series
      .map((one) => `${one.name}: ${one.values.length === 0 || one.values.at(-1) < 0 ? "unknown" : this.format(one.values.at(-1))}`)
      .join("; ");
  }

  draw(names) {
    this.plot?.destroy();
    const axis = { stroke: style("--muted"), grid: { stroke: style("--rule"), width: 1 }, ticks: { stroke: style("--rule"), width: 1 } };
    this.plot = new uPlot(
      {
        width: Math.max(200, this.place.clientWidth),
        height: HEIGHT,
        padding: [null, 32, null, null],
        cursor: { y: false },
        scales: { y: { range: this.range } },
        axes: [
          { ...axis, space: 80, values: (_, times) => times.map(clock) },
          { ...axis, size: 64, values: (_, values) => values.map((value) => this.format(value)) },
        ],
        series: [
          { label: "time", value: (_, time) => (time === null || time === undefined ? "–" : clock(time)) },
          ...names.map((name, i) => ({
            label: name,
            stroke: style(COLOURS[i % COLOURS.length]),
            width: 2,
            points: { show: false },
            value: (_, value) => (value === null || value === undefined ? "–" : this.format(value)),
          })),
        ],
      },
      this.data,
      this.place,
    );
  }

  resize() {
    this.plot?.setSize({ width: Math.max(200, this.place.clientWidth), height: HEIGHT });
  }

  restyle() {
    if (this.plot !== null) {
      this.draw(this.names.split("\n"));
    }
  }
}

/** A line without axes, of values of which -1 is unknown. */
export function sparkline(values, words) {
  const width = 120;
  const height = 24;
  const most = Math.max(1e-9, ...values);
  const runs = [];
  let run = [];
  values.forEach((value, i) => {
    if (value < 0) {
      run = [];
      return;
    }
    if (run.length === 0) {
      runs.push(run);
    }
    const x = (i / Math.max(1, values.length - 1)) * width;
    run.push(`${x.toFixed(1)},${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`);
  });
  return svg(
    "svg",
    { class: "spark", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words },
    ...runs.map((points) => svg("polyline", { points: points.join(" ") })),
  );
}
