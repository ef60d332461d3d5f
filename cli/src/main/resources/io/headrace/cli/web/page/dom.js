// Elements without markup in strings: text from peers is never parsed as HTML.

import { duration } from "./figures.js";

/** An element with properties and children; null children are left out. */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name === "class") {
      element.className = value;
    } else if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (name.startsWith("--")) {
      element.style.setProperty(name, value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Replaces what is in `place`, and keeps the focus on the element with the same data-key. */
export function fill(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  place.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (key) {
    place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }
}

/** The answer to a request for JSON; an Error with the server's words if there is none. */
export async function ask(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    throw new Error((await answer.text()).trim() || `${path}: ${answer.status}`);
  }
  return answer.json();
}

/** Names the dispatcher in the header. */
export function about(dispatcher) {
  document.getElementById("about").textContent =
    `${dispatcher.address} · ${dispatcher.version} · up ${duration(dispatcher.uptime_ms)}`;
}

/** Shows what went wrong, or nothing. */
export function trouble(text) {
  const place = document.getElementById("trouble");
  place.textContent = text;
  place.hidden = text === "";
}

/** Calls `show` now, and every `ms` while somebody looks at the page, until `show` is replaced. */
export function repeat(show, ms) {
  let ended = false;
  const turn = async () => {
    if (ended) {
      return;
    }
    if (document.visibilityState === "visible") {
      try {
        await show();
        if (!ended) {
          trouble("");
        }
      } catch (failure) {
        if (!ended) {
          trouble(failure instanceof TypeError ? "no answer; this page shows the last one" : failure.message);
        }
      }
    }
    if (!ended) {
      setTimeout(turn, ms);
    }
  };
  turn();
  return () => {
    ended = true;
  };
}
