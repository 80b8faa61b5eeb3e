import { GRAIN_MS } from "./rollup.js";

/** Whether the name is that of an IANA time zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are no zones: they know no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * On which day of a time zone a quarter of an hour lies. Asking the runtime costs microseconds each
 * time, so the day found last is kept with its bounds: ascending questions are nearly free.
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

  /** The first quarter of the next day, by halving: no day is longer than 26 hours. */
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
