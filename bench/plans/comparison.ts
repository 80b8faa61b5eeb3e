import { setTimeout as delay } from "node:timers/promises";
import type { BenchChild } from "./bench-child.js";
import { cpuMs } from "./processes.js";
import type { BenchServer } from "./server.js";

/** One of two servers that are compared, and the options of its calls. */
export interface Side {
  readonly server: BenchServer;
  readonly authorization?: string;
}

/** What one round measured. */
interface Round {
  readonly stepsPerSecond: number;
  readonly cpuMsPerStep: number;
}

/** The two servers: with what is measured, and without it. */
export interface Sides {
  readonly on: Side;
  readonly off: Side;
}

const PLANS_EACH = { 1: 100, 16: 40 } as const;
const WARM_UP = { concurrency: 8, plansEach: 40 };
/** How long a server gets after a round for background work from its steps, in ms. */
const SETTLE_MS = 1500;

/**
 * Compares two servers of one build by the load of bench/plans, in rounds that alternate. Each pair
 * of rounds gives one ratio. Others who use the machine slow both sides down, but hardly change the
 * CPU time of a step.
 */
export class Comparison {
  readonly #load: BenchChild;
  readonly #sides: Sides;

  constructor(load: BenchChild, sides: Sides) {
    this.#load = load;
    this.#sides = sides;
  }

  async warmUp(): Promise<void> {
    for (const side of [this.#sides.on, this.#sides.off]) await this.#run(side, WARM_UP);
  }

  /** @returns the figures of a row. */
  async rounds(concurrency: 1 | 16, count: number): Promise<Record<string, unknown>> {
    const { on, off } = this.#sides;
    const work = { concurrency, plansEach: PLANS_EACH[concurrency] };
    const pairs: { readonly on: Round; readonly off: Round }[] = [];
    for (let round = 0; round < count; round += 1) {
      // The order alternates, so that growth from round to round affects both sides equally.
      if (round % 2 === 0)
        pairs.push({ on: await this.#run(on, work), off: await this.#run(off, work) });
      else pairs.push({ off: await this.#run(off, work), on: await this.#run(on, work) });
    }
    const of = (side: "on" | "off", what: keyof Round): number =>
      median(pairs.map((pair) => pair[side][what]));
    const ratios = (what: keyof Round): readonly number[] =>
      pairs.map((pair) => pair.on[what] / pair.off[what]);
    return {
      plans: concurrency,
      "steps/s on": Math.round(of("on", "stepsPerSecond")),
      "steps/s off": Math.round(of("off", "stepsPerSecond")),
      "CPU ms/step on": rounded(of("on", "cpuMsPerStep")),
      "CPU ms/step off": rounded(of("off", "cpuMsPerStep")),
      "steps/s on / off": spread(ratios("stepsPerSecond")),
      "CPU on / off": spread(ratios("cpuMsPerStep")),
    };
  }

  async #run(
    { server, authorization }: Side,
    work: { readonly concurrency: number; readonly plansEach: number },
  ): Promise<Round> {
    const before = cpuMs(server.pid);
    const { calls, seconds } = await this.#load.order({
      ...{ kind: "steps", addresses: [server.address], ...work },
      ...(authorization === undefined ? {} : { authorization }),
    });
    await delay(SETTLE_MS);
    return { stepsPerSecond: calls / seconds, cpuMsPerStep: (cpuMs(server.pid) - before) / calls };
  }
}

function spread(ratios: readonly number[]): Record<string, unknown> {
  return {
    median: rounded(median(ratios)),
    quartiles: [0.25, 0.75].map((share) => rounded(quantile(ratios, share))),
    range: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))],
  };
}

function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

/** Interpolates between the two nearest figures. */
function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? 0;
  return below + (above - below) * (at - Math.floor(at));
}

function rounded(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}
