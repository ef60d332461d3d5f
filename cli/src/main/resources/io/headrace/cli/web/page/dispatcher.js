// The dispatcher's pages: the cluster at a glance, a job, workers, datasets, the journal. The part of
// the address behind # names the page.

import { about, ask, fill, h, repeat, trouble } from "./dom.js";
import { bytes, count, counted, duration, percent, whole, words } from "./figures.js";
import { jobPage } from "./job.js";
import { LongList, table } from "./tables.js";

const PERIOD_MS = 2000;
const MOST_VERDICTS = 8;
const PAGE = 500;
const MOST_PAGES = 20;

const content = document.getElementById("content");
let end = () => {};

/** All entries of a list, a page after another. */
async function wholeList(name) {
  const first = await ask("/api/status");
  const all = [...first[name]];
  let left = first[`${name}_left_out`];
  for (let page = 1; left > 0 && page < MOST_PAGES; page++) {
    const next = await ask(`/api/status?skip=${page * PAGE}`);
    all.push(...next[name]);
    left = next[`${name}_left_out`];
  }
  about(first.dispatcher);
  return all;
}

function card(title, value, note, alarming) {
  return h("div", { class: alarming ? "card alarming" : "card" }, h("span", { class: "title" }, title), h("strong", null, value), h("span", { class: "note" }, note));
}

function readersOf(job) {
  return job.iterations.reduce((sum, iteration) => sum + iteration.readers, 0);
}

/** Names of jobs as text: those without a name go by their ids. */
function jobLink(job) {
  return h("a", { href: `#/job/${job.id}`, "data-key": `job-${job.id}` }, job.anonymous ? `job ${job.id}` : job.name);
}

function clusterPage(place) {
  const [cards, jobs, workers] = [h("section", { class: "cards" }), h("section", null), h("section", null)];
  place.replaceChildren(h("h1", null, "The cluster at a glance"), cards, jobs, workers);
  return async () => {
    const status = await ask("/api/status");
    const of = status.dispatcher;
    about(of);
    fill(
      cards,
      card("Workers", whole(of.workers), of.lost_workers > 0 ? `${whole(of.lost_workers)} lost` : "all answer", of.lost_workers > 0),
      card("Jobs", whole(of.jobs), `${whole(of.unfinished_iterations)} unfinished`),
      card("Readers", whole(of.readers), counted(of.datasets, "dataset")),
      card("Missing", whole(of.elements_missing), `elements, and ${counted(of.splits_missing, "split")}, with ${counted(of.tasks_lost, "lost task")}`, of.elements_missing + of.splits_missing > 0),
      card(
        "Journal",
        of.journal_refuses ? "refuses" : of.last_commit_micros === undefined ? "–" : `${(of.last_commit_micros / 1000).toFixed(1)} ms`,
        of.journal_refuses ? "changes are refused until it takes one" : of.fault_tolerant ? "the last commit" : "in memory: it ends with the process",
        of.journal_refuses,
      ),
    );
    const read = status.jobs.filter((job) => readersOf(job) > 0).toSorted((a, b) => readersOf(b) - readersOf(a));
    const asked = await Promise.allSettled(read.slice(0, MOST_VERDICTS).map((job) => ask(`/api/jobs/${job.id}/statistics`)));
    const rows = read.slice(0, MOST_VERDICTS).map((job, i) => ({ job, statistics: asked[i].value }));
    rows.sort((a, b) => (b.statistics?.verdict.wait_share ?? -1) - (a.statistics?.verdict.wait_share ?? -1));
    fill(jobs, h("h2", null, "Jobs that are read"), jobTable(rows), rest(read.length - rows.length), otherJobs(status.jobs));
    const unwell = status.workers.filter((worker) => worker.state !== "REGISTERED");
    fill(workers, unwell.length === 0 ? null : h("h2", null, "Workers that need a look"), unwell.length === 0 ? null : workerTable(unwell.slice(0, 20)));
  };
}

function rest(more) {
  return more > 0 ? h("p", { class: "note" }, `${whole(more)} more jobs are read`) : null;
}

function otherJobs(all) {
  const idle = all.filter((job) => readersOf(job) === 0).slice(0, 20);
  return idle.length === 0
    ? null
    : h("details", null, h("summary", { "data-key": "idle" }, "Jobs that nobody reads now"), h("ul", null, idle.map((job) => h("li", null, jobLink(job)))));
}

function jobTable(rows) {
  return table(
    "Jobs that are read, those first whose readers wait the most",
    [
      { title: "Job", cell: ({ job }) => jobLink(job) },
      { title: "Guarantee", cell: ({ job }) => words(job.guarantee) },
      { title: "Readers", number: true, cell: ({ job }) => whole(readersOf(job)) },
      { title: "Rows/s", number: true, cell: ({ statistics }) => rowsOf(statistics) },
      { title: "Waits", number: true, cell: ({ statistics }) => percent(statistics?.verdict.wait_share) },
      { title: "Limit", cell: ({ statistics }) => (statistics ? h("span", { class: "chip" }, statistics.verdict.code) : "–") },
      { title: "Verdict", cell: ({ statistics }) => statistics?.verdict.text ?? "–" },
    ],
    rows,
    "Nobody reads a job.",
  );
}

function rowsOf(statistics) {
  const told = statistics?.tasks.filter((task) => task.rows_per_second !== undefined) ?? [];
  return told.length === 0 ? "–" : count(told.reduce((sum, task) => sum + task.rows_per_second, 0));
}

function workerTable(workers) {
  return table(
    "Workers",
    [
      { title: "Worker", cell: (worker) => worker.address },
      { title: "Kind", cell: (worker) => words(worker.kind) },
      { title: "State", cell: (worker) => h("span", { class: `chip ${worker.state.toLowerCase()}` }, words(worker.state)) },
      { title: "Answered", number: true, cell: (worker) => `${duration(worker.silent_ms)} ago` },
      { title: "Tasks", number: true, cell: (worker) => whole(worker.active_tasks) },
      { title: "Elements", number: true, cell: (worker) => count(worker.elements) },
      { title: "Tags", cell: (worker) => worker.tags.join(", ") || "–" },
    ],
    workers,
    "No worker is registered.",
  );
}

function workersPage(place) {
  const list = new LongList("Filter workers", (worker) => `${worker.address} ${worker.state} ${worker.tags.join(" ")}`, workerTable);
  place.replaceChildren(h("h1", null, "Workers"), list.element);
  const order = ["LOST", "LEFT", "UNHEARD", "DRAINING", "REGISTERED"];
  return async () => {
    const workers = await wholeList("workers");
    list.update(workers.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state)));
  };
}

function datasetsPage(place) {
  const list = new LongList(
    "Filter datasets",
    (dataset) => `${dataset.id} ${dataset.fingerprint}`,
    (rows) =>
      table(
        "Datasets",
        [
          { title: "Dataset", cell: (of) => h("a", { href: `#/dataset/${encodeURIComponent(of.id)}`, "data-key": `dataset-${of.id}` }, of.id) },
          { title: "Fingerprint", cell: (of) => of.fingerprint },
          { title: "Elements", number: true, cell: (of) => (of.cardinality === -1 ? "infinite" : of.cardinality === -2 ? "unknown" : count(of.cardinality)) },
          { title: "Graph", number: true, cell: (of) => bytes(of.graph_bytes) },
          { title: "In use", cell: (of) => (of.in_use ? "yes" : "no") },
        ],
        rows,
        "No dataset is registered.",
      ),
  );
  place.replaceChildren(h("h1", null, "Datasets"), list.element);
  return async () => list.update(await wholeList("datasets"));
}

function snapshotsPage(place) {
  const list = new LongList(
    "Filter snapshots",
    (snapshot) => `${snapshot.path} ${snapshot.state} ${snapshot.error_message}`,
    (rows) =>
      table(
        "Distributed snapshots",
        [
          { title: "Snapshot", cell: (of) => of.path },
          { title: "State", cell: (of) => h("span", { class: `chip ${of.state === "FAILED" ? "lost" : ""}` }, words(of.state)) },
          { title: "Streams done", number: true, cell: (of) => `${whole(of.streams_done)} of ${whole(of.streams)}` },
          { title: "Splits", number: true, cell: (of) => count(of.splits) },
          { title: "Error", cell: (of) => of.error_message || "–" },
        ],
        rows,
        "No snapshot was begun.",
      ),
  );
  place.replaceChildren(h("h1", null, "Snapshots"), list.element);
  const order = ["FAILED", "WRITING", "DONE"];
  return async () => {
    const snapshots = await wholeList("snapshots");
    list.update(snapshots.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state)));
  };
}

function datasetPage(place, id) {
  place.replaceChildren(h("h1", null, `Dataset ${id}`), h("p", { class: "note" }, "…"));
  let shown = false;
  return async () => {
    if (shown) {
      return;
    }
    const plan = await ask(`/api/datasets/${encodeURIComponent(id)}/plan`);
    shown = true;
    fill(
      place,
      h("h1", null, `Dataset ${id}`),
      plan.op_obstacle ? h("p", { class: "verdict" }, plan.op_obstacle) : null,
      h("h2", null, "The plan, from the sources on"),
      h("ol", { class: "plan" }, plan.stages.map((stage) => planned(stage))),
      h("h2", null, "How it can be divided"),
      shardings(plan),
    );
  };
}

function planned(stage) {
  const functions = stage.functions.map((of) =>
    h(
      "p",
      { class: "facts" },
      `${of.ops.slice(0, 8).join(", ")}${of.ops.length > 8 ? `, ${of.ops.length - 8} more` : ""}: `,
      of.obstacle ? of.obstacle : of.by_columns ? "rows together, as columns" : `row by row: ${of.rows_reason}`,
      of.fused_ops > 0 ? `; ${of.fused_ops} ops in ${of.loops} fused loops` : "",
    ),
  );
  return h("li", { class: stage.inner ? "inner" : "" }, h("code", null, stage.text), " ", h("span", { class: "note" }, stage.elements), functions);
}

function shardings(plan) {
  return table(
    "Sharding policies",
    [
      { title: "Policy", cell: (of) => words(of.policy) },
      { title: "How", cell: (of) => (of.possible ? of.how : `not possible: ${of.how}`) },
      { title: "Guarantee", cell: (of) => (of.possible ? words(of.guarantee) : "–") },
      { title: "Why no stronger", cell: (of) => (of.possible && of.guarantee_reason) || "–" },
    ],
    plan.shardings,
    "Nothing is known.",
  );
}

function journalPage(place) {
  const facts = h("dl", null);
  place.replaceChildren(h("h1", null, "Journal"), facts);
  return async () => {
    const of = (await ask("/api/status?entries=1")).dispatcher;
    about(of);
    const list = [
      ["Where", of.fault_tolerant ? of.work_dir : "in memory: the state ends with the process"],
      ["Id", of.journal_id],
      ["Opened", counted(of.epoch, "time")],
      ["Records", `${whole(of.journal_records)}, ${bytes(of.journal_bytes)}`],
      ["Last commit", of.last_commit_micros === undefined ? "none yet" : `${(of.last_commit_micros / 1000).toFixed(1)} ms`],
      ["State", of.journal_refuses ? "refuses changes" : "takes changes"],
      ["Loop", `${counted(of.turns, "turn")}, ${counted(of.waiting_requests, "request")} waiting`],
    ];
    fill(facts, list.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
  };
}

const PAGES = [
  [/^#\/job\/(.+)$/, jobPage],
  [/^#\/workers$/, workersPage],
  [/^#\/datasets$/, datasetsPage],
  [/^#\/dataset\/(.+)$/, datasetPage],
  [/^#\/snapshots$/, snapshotsPage],
  [/^#\/journal$/, journalPage],
];

function open() {
  if (location.hash === "#content") {
    return;
  }
  end();
  trouble("");
  document.title = "Headrace";
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.getAttribute("href") === (location.hash || "#/");
    if (here) {
      link.setAttribute("aria-current", "page");
    } else {
      link.removeAttribute("aria-current");
    }
  }
  for (const [pattern, page] of PAGES) {
    const found = pattern.exec(location.hash);
    if (found) {
      end = repeat(page(content, decodeURIComponent(found[1] ?? "")), PERIOD_MS);
      return;
    }
  }
  end = repeat(clusterPage(content), PERIOD_MS);
}

addEventListener("hashchange", () => {
  open();
  if (location.hash !== "#content") {
    content.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
});
open();
