// A worker's page: its own sums since its start. Rates are of the last two seconds.

import { ask, fill, h, repeat } from "./dom.js";
import { bytes, count, duration, whole } from "./figures.js";
import { table } from "./tables.js";

const PERIOD_MS = 2000;
const content = document.getElementById("content");
let last = null;

function rate(now, field) {
  return last === null || now.at <= last.at ? "–" : `${count((now[field] - last[field]) / ((now.at - last.at) / 1000))}/s`;
}

repeat(async () => {
  const now = { ...(await ask("/api/worker")), at: performance.now() };
  document.getElementById("about").textContent = now.registered
    ? `${now.address} · registered at ${now.dispatcher}`
    : `not registered at ${now.dispatcher}`;
  const facts = [
    ["Tasks", `${whole(now.tasks)} live, ${whole(now.deleted_tasks)} deleted`],
    ["Rows", `${whole(now.rows)} (${rate(now, "rows")})`],
    ["Data", `${bytes(now.bytes)} (${rate(now, "bytes")})`],
    ["Readers waited, no row", duration(1000 * now.empty_seconds)],
    ["Readers waited, rows withheld", duration(1000 * now.withheld_seconds)],
    ["Tasks waited for room", duration(1000 * now.full_seconds)],
  ];
  fill(
    content,
    h("h1", null, "This worker"),
    h("dl", null, facts.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
    h("h2", null, "Stages of all its passes"),
    table(
      "Stages",
      [
        { title: "Stage", cell: ([name]) => name },
        { title: "Rows", number: true, cell: ([, of]) => count(of.rows) },
        { title: "Worked", number: true, cell: ([, of]) => duration(1000 * of.busy_seconds) },
        { title: "Waited for input", number: true, cell: ([, of]) => duration(1000 * of.starved_seconds) },
      ],
      Object.entries(now.stages),
      "It has run no stage yet.",
    ),
  );
  last = now;
}, PERIOD_MS);
