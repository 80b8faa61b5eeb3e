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

/** A day of a time zone. */
export interface ZoneDay {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** When the next day begins, in ms since the epoch. */
  readonly untilMs: number;
}

/**
 * Maps quarter-hours to days of a time zone. A lookup costs a microsecond, so the last day found is
 * cached with its bounds; lookups in ascending order are nearly free.
 */
export class ZoneCalendar {
  readonly #format: Intl.DateTimeFormat;
  #day: ZoneDay = { date: "", untilMs: -Infinity };
  #fromMs = Infinity;
  /** The last time that was formatted, which is often the next one too. */
  #formatted = { ms: NaN, date: "" };

  /** @param timeZone one that {@link isTimeZone} accepts. */
  constructor(timeZone: string) {
    // Swedish writes a date as YYYY-MM-DD.
    this.#format = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      calendar: "iso8601",
      numberingSystem: "latn",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
  }

  /** The day of the quarter that begins at this time in ms since the epoch. */
  dayAt(quarterMs: number): ZoneDay {
    if (quarterMs < this.#fromMs || quarterMs >= this.#day.untilMs) {
      const date = this.#dateAt(quarterMs);
      this.#day = { date, untilMs: this.#endOf(quarterMs, date) };
      this.#fromMs = quarterMs;
    }
    return this.#day;
  }

  /** The first quarter-hour of the next day, which most often begins when the last one found did. */
  #endOf(quarterMs: number, date: string): number {
    const days = Math.floor((quarterMs - this.#day.untilMs) / GRAIN_MS.day) + 1;
    const likelyMs = this.#day.untilMs + days * GRAIN_MS.day;
    const isEnd = days > 0 && days < Infinity && this.#isLastOf(date, likelyMs - GRAIN_MS.quarter);
    return isEnd ? likelyMs : this.#searchedEnd(quarterMs, date);
  }

  #isLastOf(date: string, quarterMs: number): boolean {
    if (this.#dateAt(quarterMs) !== date) return false;
    return this.#dateAt(quarterMs + GRAIN_MS.quarter) !== date;
  }

  #dateAt(ms: number): string {
    if (ms !== this.#formatted.ms) this.#formatted = { ms, date: this.#format.format(ms) };
    return this.#formatted.date;
  }

  /** Binary search; no day is longer than 26 hours. */
  #searchedEnd(quarterMs: number, date: string): number {
    let sameDay = 0;
    let nextDay = 26 * 4;
    while (nextDay - sameDay > 1) {
      const middle = Math.floor((sameDay + nextDay) / 2);
      if (this.#dateAt(quarterMs + middle * GRAIN_MS.quarter) === date) sameDay = middle;
      else nextDay = middle;
    }
    return quarterMs + nextDay * GRAIN_MS.quarter;
  }
}
