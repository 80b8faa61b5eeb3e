import type { Clock } from "@steward/kernel/clock.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { HINT_ANSWERS_MAX, HINT_ANSWERS_MS } from "./limits.js";

/** Answers of data sources to queries for hints, cached for a short time. */
export class RecentAnswers<Answer> {
  readonly #clock: Clock;
  readonly #known = new RecentMap<{ readonly answer: Answer; readonly atMs: number }>(
    HINT_ANSWERS_MAX,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The cached answer; `ask` is called when there is none, or it is too old. */
  async getOrAsk(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#known.get(key);
    const atMs = this.#clock.nowMs();
    if (known !== undefined && atMs - known.atMs < HINT_ANSWERS_MS) return known.answer;
    const answer = await ask();
    this.#known.set(key, { answer, atMs });
    return answer;
  }
}
