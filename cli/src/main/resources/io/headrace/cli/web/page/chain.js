// The drawing of a pipeline: sources on the left, the reader on the right. Each stage is coloured by
// the share of its time that it works.

import { h } from "./dom.js";
import { count, percent } from "./figures.js";

/** The text of a stage, as verdicts name it. */
export function nameOf(stage) {
  return stage.function ? `${stage.name}(${stage.function})` : stage.name;
}

/** A bar of three shares, and what it says in words. */
export function bar(busy, starved, blocked) {
  const words = `works ${percent(busy)}, waits for input ${percent(starved)}, for its consumer ${percent(blocked)}`;
  return h(
    "span",
    { class: "bar", role: "img", "aria-label": words, title: words },
    h("span", { class: "busy", "--share": busy }),
    h("span", { class: "starved", "--share": starved }),
    h("span", { class: "blocked", "--share": blocked }),
  );
}

function box(stage, limits) {
  const facts = [`${count(stage.rows_per_second)} rows/s`];
  if (stage.max_threads > 1 || stage.threads > 1) {
    facts.push(`${stage.threads}/${stage.max_threads} threads`);
  }
  if (stage.fill !== undefined) {
    facts.push(`buffer ${percent(stage.fill)} full`);
  }
  const [most] = stage.kernels;
  if (most !== undefined && most.share >= 0.2 && stage.busy >= 0.1) {
    facts.push(`${percent(most.share)} of its work is ${most.op}`);
  }
  return h(
    "div",
    { class: limits ? "stage limits" : "stage", "--heat": stage.max_busy },
    h("strong", null, stage.name),
    stage.function ? h("span", { class: "function" }, stage.function) : null,
    bar(stage.busy, stage.starved, stage.blocked),
    h("span", { class: "facts" }, facts.join(" · ")),
    limits ? h("span", { class: "chip" }, "limits") : null,
  );
}

function node(index, stages, limit) {
  const inputs = stages.flatMap((stage, i) => (stage.consumer === index ? [node(i, stages, limit)] : []));
  const own = box(stages[index], nameOf(stages[index]) === limit);
  return inputs.length === 0
    ? h("div", { class: "node" }, own)
    : h("div", { class: "node" }, h("div", { class: "inputs" }, inputs), h("span", { class: "arrow", "aria-hidden": "true" }, "→"), own);
}

/** The drawing of the stages of a job's statistics. */
export function chain(statistics) {
  const stages = statistics.stages;
  if (stages.length === 0) {
    return h("p", { class: "empty" }, "No worker has reported its stages yet.");
  }
  const roots = stages.flatMap((stage, i) => (stage.consumer < 0 ? [node(i, stages, statistics.verdict.stage)] : []));
  const wait = statistics.readers.length === 0 ? undefined : statistics.verdict.wait_share;
  const reader = h(
    "div",
    { class: statistics.verdict.code === "trainer" ? "stage limits" : "stage", "--heat": 0 },
    h("strong", null, statistics.readers.length === 1 ? "Reader" : `${statistics.readers.length} readers`),
    wait === undefined ? null : bar(1 - wait, wait, 0),
    h("span", { class: "facts" }, statistics.readers.length === 0 ? "nobody reads" : wait === undefined ? "not told" : `waits ${percent(wait)}`),
    statistics.verdict.code === "trainer" ? h("span", { class: "chip" }, "limits") : null,
  );
  return h(
    "div",
    { class: "chain", tabindex: "0", role: "region", "aria-label": "The pipeline, from its sources to the reader" },
    h("div", { class: "node" }, h("div", { class: "inputs" }, roots), h("span", { class: "arrow", "aria-hidden": "true" }, "→"), reader),
  );
}

/** What the colours of bars mean. */
export function legend() {
  const part = (name, text) => h("span", { class: "key" }, h("span", { class: `swatch ${name}` }), text);
  return h("p", { class: "legend" }, part("busy", "works"), part("starved", "waits for its input"), part("blocked", "waits for its consumer"));
}
