// A job: its verdict on top, the chain as a drawing, ten minutes of history, readers and workers.

import { about, ask, fill, h } from "./dom.js";
import { bytes, clock, count, duration, percent, whole, words } from "./figures.js";
import { chain, legend, nameOf } from "./chain.js";
import { Chart, sparkline } from "./chart.js";
import { table } from "./tables.js";

const MOST_LINES = 6;

/** Builds the page of the job `id` in `place`; returns the function that shows it anew. */
export function jobPage(place, id) {
  const part = () => h("section", null);
  const [verdict, drawing, facts, readers, workers, events] = [part(), part(), part(), part(), part(), part()];
  const rates = new Chart("Elements per second", count, (_, __, most) => [0, Math.max(1, most * 1.1)]);
  const waits = new Chart("Readers wait", percent, () => [0, 1]);
  const busy = new Chart("Stages work", percent, () => [0, 1]);
  const history = h("section", { class: "charts" }, h("h2", null, "The last ten minutes"), rates.element, busy.element, waits.element);
  place.replaceChildren(verdict, drawing, history, events, facts, readers, workers);
  const path = `/api/jobs/${encodeURIComponent(id)}`;
  return async () => {
    const [statistics, past, status] = await Promise.all([ask(`${path}/statistics`), ask(`${path}/history`), ask("/api/status")]);
    about(status.dispatcher);
    document.title = `${title(statistics)} – Headrace`;
    fill(verdict, ...verdictOf(statistics));
    fill(drawing, h("h2", null, "Where the time goes"), chain(statistics), legend());
    showHistory(past, rates, waits, busy);
    fill(events, ...eventsOf(past));
    fill(facts, ...factsOf(status.jobs.find((job) => job.id === statistics.job_id), statistics));
    fill(readers, h("h2", null, "Readers"), readersOf(statistics, past, status));
    fill(workers, h("h2", null, "Workers"), workersOf(statistics));
  };
}

function title(statistics) {
  return statistics.anonymous ? `Job ${statistics.job_id}` : statistics.job_name;
}

function verdictOf(statistics) {
  const found = statistics.verdict;
  const quiet = ["trainer", "finished", "no_reader", "measuring", "unknown"].includes(found.code);
  return [
    h("h1", null, title(statistics)),
    h(
      "div",
      { class: quiet ? "verdict quiet" : "verdict", role: "status" },
      h("span", { class: "chip" }, found.code),
      h("p", { class: "sentence" }, found.text),
      found.advice ? h("p", { class: "advice" }, `Advice: ${found.advice}`) : null,
    ),
    h("p", { class: "note" }, `Repetition ${statistics.repetition}, the last ${duration(statistics.window_ms)}`),
  ];
}

/** A stage whose worker has not told its function yet is left out beside the one of its name that has one. */
function showHistory(past, rates, waits, busy) {
  rates.update(
    [
      { name: "handed out by workers", values: past.rows_per_second },
      { name: "taken by users of Java readers", values: past.elements_per_second },
    ].filter((series) => series.values.some((value) => value >= 0)),
    past.age_seconds,
    "Nobody has reported yet.",
  );
  waits.update([{ name: "users of Java readers", values: past.wait_share }], past.age_seconds, "Stock readers do not tell.");
  busy.update(
    past.stages
      .filter((stage) => stage.function !== "" || !past.stages.some((other) => other.name === stage.name && other.function !== ""))
      .toSorted((one, other) => mean(other.busy) - mean(one.busy))
      .slice(0, MOST_LINES)
      .map((stage) => ({ name: nameOf(stage), values: stage.busy })),
    past.age_seconds,
    "No worker has reported yet.",
  );
}

function mean(values) {
  const known = values.filter((value) => value >= 0);
  return known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
}

function eventsOf(past) {
  return past.events.length === 0
    ? []
    : [
        h("h2", null, "Losses and settlements"),
        h(
          "ol",
          { class: "events" },
          past.events.toReversed().map((event) => h("li", null, h("time", null, clock((Date.now() - event.age_ms) / 1000)), " ", event.text)),
        ),
      ];
}

function factsOf(job, statistics) {
  if (!job) {
    return [];
  }
  const pass = job.iterations.find((iteration) => iteration.id === statistics.iteration_id);
  const list = [
    ["Guarantee", words(job.guarantee) + (job.guarantee_reason ? `: ${job.guarantee_reason}` : "")],
    ["Sharding", words(job.sharding)],
    ["Dataset", h("a", { href: `#/dataset/${encodeURIComponent(job.dataset_id)}`, "data-key": "dataset" }, job.dataset_id)],
  ];
  if (pass?.splits !== undefined) {
    list.push(["Splits handed out", `${whole(pass.splits_handed_out)} of ${whole(pass.splits)}`]);
  }
  if (pass) {
    list.push(["Tasks", `${pass.active_tasks} active, ${pass.finished_tasks} finished, ${pass.lost_tasks} lost`]);
    list.push(["Missing", `${whole(pass.elements_missing)} elements, ${whole(pass.splits_missing)} splits at most`]);
    list.push(["Open settlements", whole(pass.open_settlements)]);
  }
  return [h("h2", null, "The job"), h("dl", null, list.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)]))];
}

function readersOf(statistics, past, status) {
  const histories = new Map(past.readers.map((reader) => [reader.id, reader]));
  const seen = new Map(status.readers.map((reader) => [reader.id, reader]));
  return table(
    "Readers of the job",
    [
      { title: "Reader", cell: (reader) => String(reader.id) },
      { title: "Kind", cell: (reader) => words(reader.kind) },
      { title: "Host", cell: (reader) => reader.host || "–" },
      { title: "Elements/s", number: true, cell: (reader) => (reader.elements_per_second === undefined ? "–" : count(reader.elements_per_second)) },
      { title: "Waits", number: true, cell: (reader) => percent(reader.wait_share) },
      { title: "Heard", number: true, cell: (reader) => heard(seen.get(reader.id)) },
      {
        title: "Ten minutes",
        cell: (reader) => {
          const own = histories.get(reader.id);
          return own ? sparkline(own.elements_per_second, `elements per second of reader ${reader.id}`) : "–";
        },
      },
    ],
    statistics.readers,
    "Nobody reads it.",
  );
}

function heard(reader) {
  if (!reader?.has_spoken) {
    return "–";
  }
  return reader.watches ? "connected" : `${duration(reader.heartbeat_age_ms)} ago`;
}

function workersOf(statistics) {
  return table(
    "Tasks of the job",
    [
      { title: "Worker", cell: (task) => task.worker_address },
      { title: "Rows/s", number: true, cell: (task) => (task.rows_per_second === undefined ? "–" : count(task.rows_per_second)) },
      { title: "Data/s", number: true, cell: (task) => (task.rows_per_second === undefined ? "–" : bytes(task.bytes_per_second)) },
      { title: "Buffer", number: true, cell: (task) => known(task, task.fill) },
      { title: "Empty", number: true, cell: (task) => known(task, task.empty) },
      { title: "Withheld", number: true, cell: (task) => known(task, task.withheld) },
      { title: "Full", number: true, cell: (task) => known(task, task.full) },
    ],
    statistics.tasks,
    "No worker has a task of it.",
  );
}

function known(task, share) {
  return task.rows_per_second === undefined ? "–" : percent(share);
}
