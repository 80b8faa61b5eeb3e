import type { AttemptRef } from "../../ports.js";
import { PlanEngine } from "../plan-engine.js";
import { MemoryNode, type Faults, type MemoryStore } from "./memory-log.js";
import type { Simulation } from "./simulation.js";

/** The error of a call to a process that was killed. */
export class Killed extends Error {}

/** One simulated process: a node and its engine, which both stop when it is killed. */
export class Process {
  readonly node: MemoryNode;
  readonly engine: PlanEngine;
  readonly #killed: Promise<never>;
  #die: () => void = () => undefined;

  constructor(world: Simulation, store: MemoryStore, faults: Faults) {
    this.node = new MemoryNode(world, store, faults);
    const { node } = this;
    this.engine = new PlanEngine({
      log: node,
      reads: node,
      node,
      handover: node,
      timers: {
        nowMs: () => world.nowMs(),
        after: (ms, action) =>
          world.timers.after(ms, () => {
            if (!node.isKilled) action();
          }),
      },
    });
    this.#killed = new Promise((_resolve, reject) => {
      this.#die = () => {
        reject(new Killed());
      };
    });
    this.#killed.catch(() => undefined);
  }

  kill(): void {
    this.node.kill();
    this.#die();
  }

  /** Whether it has been killed. */
  isDead(): boolean {
    return this.node.isKilled;
  }

  /** Calls the process's engine; never resolves once the process is dead. */
  ask<T>(question: (engine: PlanEngine) => Promise<T>): Promise<T> {
    return Promise.race([question(this.engine), this.#killed]);
  }
}

/**
 * A data source on which each attempt takes effect at most once, and never after it was settled.
 */
export class MarkedTarget {
  readonly effects: AttemptRef[] = [];
  readonly #settled = new Set<string>();

  /** @returns whether the attempt has taken effect. */
  run(attempt: AttemptRef): boolean {
    if (this.#settled.has(nameOf(attempt))) return false;
    this.effects.push(attempt);
    return true;
  }

  settle(attempt: AttemptRef): boolean {
    const has = this.effects.some((each) => nameOf(each) === nameOf(attempt));
    if (!has) this.#settled.add(nameOf(attempt));
    return has;
  }
}

function nameOf({ planId, stepId, attempt }: AttemptRef): string {
  return `${planId} ${stepId} ${String(attempt)}`;
}
