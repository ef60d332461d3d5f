// Numbers for people, with three digits.

const LARGE = ["", "k", "M", "G", "T", "P"];

/** A count: 12.3k. */
export function count(number) {
  let scaled = number;
  let prefix = 0;
  while (Math.abs(scaled) >= 1000 && prefix < LARGE.length - 1) {
    scaled /= 1000;
    prefix++;
  }
  return digits(scaled) + LARGE[prefix];
}

function digits(number) {
  return Number.isInteger(number) && Math.abs(number) < 1000
    ? String(number)
    : number.toLocaleString("en", { maximumSignificantDigits: 3, useGrouping: false });
}

/** An exact whole number: 12,345. */
export function whole(number) {
  return number.toLocaleString("en");
}

/** A count with its noun: "1 job", "2 jobs". */
export function counted(number, noun) {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Bytes: 12.3 kB. */
export function bytes(number) {
  const text = count(number);
  return /[a-zA-Z]$/.test(text) ? `${text.slice(0, -1)} ${text.slice(-1)}B` : `${text} B`;
}

/** A share: 37 %. */
export function percent(share) {
  return share === undefined || share < 0 ? "–" : `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
}

/** A duration: 1.5 s, 3 min, 2.1 h. */
export function duration(ms) {
  const seconds = ms / 1000;
  if (seconds < 90) {
    return `${digits(Math.round(seconds * 10) / 10)} s`;
  }
  if (seconds < 5400) {
    return `${Math.round(seconds / 60)} min`;
  }
  return seconds < 172_800 ? `${digits(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** The time of day of seconds since 1970: 17:05:09. */
export function clock(seconds) {
  return new Date(1000 * seconds).toLocaleTimeString("en-GB");
}

/** A constant of a protocol for people: EXACTLY_ONCE becomes "exactly once". */
export function words(constant) {
  return constant.toLowerCase().replaceAll("_", " ");
}
