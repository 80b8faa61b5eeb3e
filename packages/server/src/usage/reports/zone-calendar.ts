import { GRAIN_MS } from "./rollup.js";

/** Whether the runtime knows an IANA time zone of this name. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are refused, because they ignore daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Maps quarter-hours to days of a time zone. A lookup costs microseconds, so the last day found is
 * cached with its bounds; lookups in ascending order are nearly free.
 */
export class ZoneCalendar {
  readonly #format: Intl.DateTimeFormat;
  #date = "";
  #fromMs = Infinity;
  #untilMs = -Infinity;

  /** @param timeZone one that {@link isTimeZone} accepts. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en", {
      timeZone,
      calendar: "iso8601",
      numberingSystem: "latn",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
  }

  /** The day, YYYY-MM-DD, of the quarter that begins at this time in ms since the epoch. */
  dateOf(quarterMs: number): string {
    if (quarterMs < this.#fromMs || quarterMs >= this.#untilMs) {
      this.#date = this.#ask(quarterMs);
      this.#fromMs = quarterMs;
      this.#untilMs = this.#endOf(quarterMs, this.#date);
    }
    return this.#date;
  }

  /**
   * Finds the first quarter-hour of the next day by binary search; no day is longer than 26 hours.
   */
  #endOf(quarterMs: number, date: string): number {
    let sameDay = 0;
    let nextDay = 26 * 4;
    while (nextDay - sameDay > 1) {
      const middle = Math.floor((sameDay + nextDay) / 2);
      if (this.#ask(quarterMs + middle * GRAIN_MS.quarter) === date) sameDay = middle;
      else nextDay = middle;
    }
    return quarterMs + nextDay * GRAIN_MS.quarter;
  }

  #ask(ms: number): string {
    const parts = new Map(this.#format.formatToParts(ms).map((part) => [part.type, part.value]));
    const year = (parts.get("year") ?? "").padStart(4, "0");
    return `${year}-${parts.get("month") ?? ""}-${parts.get("day") ?? ""}`;
  }
}
