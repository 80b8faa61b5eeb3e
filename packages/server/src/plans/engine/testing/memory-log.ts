import { AppError } from "@steward/kernel/errors.js";
import { authorsOf } from "../../authors.js";
import { LEASE_MS } from "../../limits.js";
import type { NewPlanEvent, PlanEvent } from "../../plan-events.js";
import { withDefinitions, type PlanState } from "../../plan-state.js";
import type { PreparedStep } from "../../plan.js";
import type { AttemptRef, NewPlan, PlanRef, ResultRef } from "../../ports.js";
import { keyOf } from "../open-plans.js";
import { takenResults } from "../step-results.js";
import {
  PlanConflict,
  type AppendSource,
  type DueStep,
  type DueWork,
  type EarlierRequest,
  type EngineNode,
  type HandoverListeners,
  type LoadedPlan,
  type LogEntry,
  type PlanHandover,
  type PlanLog,
  type PlanReads,
  type PlanUnit,
  type StoredResult,
} from "../plan-log.js";
import type { Simulation } from "./simulation.js";

/** How long a node counts as alive after its last heartbeat, in ms. */
const NODE_LEASE_MS = 5000;
/** Interval of a node's heartbeats, in ms. */
const BEAT_MS = 1000;

interface Lease {
  readonly attempt: number;
  readonly owner: string;
  readonly nodeId: string;
  untilMs: number;
}

/** A node's registered listeners. */
interface Listening {
  readonly nodeId: () => string;
  readonly listeners: HandoverListeners;
}

interface StoredPlan {
  readonly plan: NewPlan;
  prepared: readonly PreparedStep[];
  state: PlanState;
  readonly entries: LogEntry[];
  readonly results: Map<number, ResultRef>;
  readonly leases: Map<number, Lease>;
  owner: string | undefined;
  isRequested: boolean;
}

/** The shared part of a simulated store: rows, nodes, and listeners. */
export class MemoryStore {
  readonly plans: Map<string, StoredPlan> = new Map();
  readonly keys: Map<string, EarlierRequest> = new Map();
  /** The end of each node's lease. */
  readonly nodes: Map<string, number> = new Map();
  readonly listeners: Set<Listening> = new Set();

  find(ref: PlanRef): StoredPlan {
    const stored = this.plans.get(keyOf(ref));
    if (stored === undefined) throw new Error(`there is no plan ${ref.planId}`);
    return stored;
  }
}

/** Probabilities of faults in calls of a node. */
export interface Faults {
  /** The log refuses the call, which has no effect. */
  refused: number;
  /** The call takes effect, but its answer is lost. */
  lost: number;
  /** A message to another node is lost. */
  unheard: number;
}

/**
 * One node of a simulated store: the engine's ports over rows in memory. Each call is scheduled
 * twice, before and after it takes effect, and can fail both times. A killed node never answers.
 */
export class MemoryNode implements PlanLog, PlanReads, EngineNode, PlanHandover {
  readonly #world: Simulation;
  readonly #store: MemoryStore;
  readonly #faults: Faults;
  readonly #beatListeners = new Set<() => void>();
  #nodeId = "";
  #validUntilMs = 0;
  #isKilled = false;
  /** End of a period without heartbeats, although the node still runs. */
  #hangsUntilMs = 0;

  constructor(world: Simulation, store: MemoryStore, faults: Faults) {
    this.#world = world;
    this.#store = store;
    this.#faults = faults;
    this.#beat();
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  get hasLease(): boolean {
    return this.#world.nowMs() + BEAT_MS < this.#validUntilMs;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  kill(): void {
    this.#isKilled = true;
  }

  hang(ms: number): void {
    this.#hangsUntilMs = this.#world.nowMs() + ms;
  }

  nowMs(): number {
    return this.#world.nowMs();
  }

  onBeat(listener: () => void): void {
    this.#beatListeners.add(listener);
  }

  isAlive(nodeId: string): Promise<boolean> {
    return this.#call(() => this.#isAliveNow(nodeId));
  }

  create(
    plan: NewPlan,
    state: PlanState,
    events: readonly NewPlanEvent[],
    owner: string | undefined,
  ): Promise<EarlierRequest | undefined> {
    return this.#call(() => {
      const { idempotency, ref } = plan;
      const key = `${ref.orgId}/${idempotency?.key ?? ""}`;
      const earlier = this.#store.keys.get(key);
      if (idempotency !== undefined && earlier !== undefined) return earlier;
      if (idempotency !== undefined) {
        this.#store.keys.set(key, { planId: ref.planId, requestHash: idempotency.requestHash });
      }
      this.#store.plans.set(keyOf(ref), {
        plan,
        prepared: plan.steps,
        state,
        entries: [
          {
            sequence: 1,
            events,
            steps: [],
            definitions: [],
            request: undefined,
            end: undefined,
            origins: [],
            approvals: [],
          },
        ],
        results: new Map(takenResults(plan)),
        leases: new Map(),
        owner,
        isRequested: false,
      });
      return undefined;
    });
  }

  load(ref: PlanRef): Promise<LoadedPlan | undefined> {
    return this.#call(() => {
      const stored = this.#store.plans.get(keyOf(ref));
      return (
        stored && {
          name: stored.plan.name,
          description: stored.plan.description,
          state: stored.state,
          prepared: stored.prepared,
          results: new Map(stored.results),
          owner: stored.owner,
        }
      );
    });
  }

  append(source: AppendSource): Promise<void> {
    return this.#call(() => {
      const unit = source.takeUnit();
      const stored = this.#store.find(unit.ref);
      const [first] = unit.entries;
      // Like a unique key, this accepts a gap; the engine must never write one.
      if (first !== undefined && first.sequence <= stored.state.lastSequence) {
        throw new PlanConflict();
      }
      this.#apply(stored, unit);
    });
  }

  readResult(ref: PlanRef, sequence: number): Promise<StoredResult> {
    return this.#call(() => {
      const entry = this.#store.find(ref).entries.find((each) => each.sequence === sequence);
      const { end } = entry ?? {};
      if (end?.context === undefined) throw new Error("no result");
      return { ...end.context, ...(end.toolCall && { call: end.toolCall }) };
    });
  }

  renewLease(attempt: AttemptRef, stepIndex: number, owner: string): Promise<boolean> {
    return this.#call(() => {
      const lease = this.#store.find(attempt).leases.get(stepIndex);
      if (lease?.attempt !== attempt.attempt || lease.owner !== owner) return false;
      lease.untilMs = this.#world.nowMs() + LEASE_MS;
      return true;
    });
  }

  announce(): () => void {
    return () => undefined;
  }

  list(): Promise<never> {
    return Promise.reject(new Error("the engine never lists plans"));
  }

  submitterOf(): Promise<never> {
    return Promise.reject(new Error("the engine never asks for a submitter"));
  }

  events(ref: PlanRef): Promise<readonly PlanEvent[]> {
    return this.#call(() => this.#store.find(ref).entries.flatMap(({ events }) => events));
  }

  earlierRequest(orgId: string, key: string): Promise<EarlierRequest | undefined> {
    return this.#call(() => this.#store.keys.get(`${orgId}/${key}`));
  }

  findDue(limit: number, except: readonly string[]): Promise<DueWork> {
    return this.#call(() => {
      const nowMs = this.#world.nowMs();
      const mine = [...this.#store.plans.values()].filter(
        ({ owner }) => owner === undefined || owner === this.#nodeId || !this.#isAliveNow(owner),
      );
      const abandoned = mine.flatMap((stored): DueStep[] =>
        [...stored.leases].flatMap(([index, { attempt, nodeId, untilMs }]) => {
          const step = stored.prepared[index];
          const isOver = untilMs < nowMs || !this.#isAliveNow(nodeId);
          if (step === undefined || !isOver) return [];
          const ref = { ...stored.plan.ref, stepId: step.id, attempt };
          const abandoned = { attempt: ref, step, sessionId: stored.plan.sessionId };
          return [{ key: `${ref.planId}/${String(index)}`, read: () => abandoned }];
        }),
      );
      const overdue = mine.filter(
        ({ plan, state }) =>
          !except.includes(plan.ref.planId) &&
          state.finishedAtMs === undefined &&
          state.deadlineMs < nowMs,
      );
      const expired = mine.filter(
        ({ plan, state }) =>
          !except.includes(plan.ref.planId) &&
          state.steps.some(
            ({ approval }) =>
              (approval?.status === "pending" || approval?.status === "approved") &&
              approval.expiresAtMs < nowMs,
          ),
      );
      return {
        abandoned: abandoned.filter(({ key }) => !except.includes(key)).slice(0, limit),
        overdue: overdue.slice(0, limit).map(({ plan }) => plan.ref),
        expired: expired.slice(0, limit).map(({ plan }) => plan.ref),
      };
    });
  }

  request(nodeId: string, ref: PlanRef): Promise<void> {
    this.#tell((each) => {
      if (each.nodeId() === nodeId) each.listeners.requested(ref);
    });
    return this.#call(() => {
      const stored = this.#store.find(ref);
      if (stored.owner === nodeId) stored.isRequested = true;
    });
  }

  requested(): Promise<readonly PlanRef[]> {
    return this.#call(() =>
      [...this.#store.plans.values()]
        .filter(({ owner, isRequested }) => isRequested && owner === this.#nodeId)
        .map(({ plan }) => plan.ref),
    );
  }

  release(nodeId: string, ref: PlanRef): Promise<void> {
    return this.#call(() => {
      const stored = this.#store.find(ref);
      if (stored.owner !== nodeId) return;
      stored.owner = undefined;
      stored.isRequested = false;
    });
  }

  announceChange(ref: PlanRef): void {
    this.#tell((each) => {
      if (each.nodeId() !== this.#nodeId) each.listeners.changed(ref);
    });
  }

  listen(listeners: HandoverListeners): () => void {
    const each = { nodeId: () => (this.#isKilled ? "killed" : this.#nodeId), listeners };
    this.#store.listeners.add(each);
    return () => this.#store.listeners.delete(each);
  }

  #tell(message: (each: Listening) => void): void {
    if (this.#world.chance(this.#faults.unheard)) return;
    void this.#world.turn().then(() => {
      for (const each of this.#store.listeners) message(each);
    });
  }

  async #call<T>(effect: () => T): Promise<T> {
    await this.#turn();
    if (this.#world.chance(this.#faults.refused)) throw unavailable();
    const result = effect();
    await this.#turn();
    if (this.#world.chance(this.#faults.lost)) throw unavailable();
    return result;
  }

  /** A killed process does nothing more: its pending calls never resolve. */
  async #turn(): Promise<void> {
    await this.#world.turn();
    if (this.#isKilled) await new Promise(() => undefined);
  }

  #apply(stored: StoredPlan, unit: PlanUnit): void {
    const steps = stored.state.steps.slice();
    let { lastSequence, lastEventAtMs, revision, revisionRequests, authors } = stored.state;
    for (const entry of unit.entries) {
      stored.entries.push(entry);
      for (const step of entry.steps) steps[step.index] = step;
      stored.prepared = withDefinitions(stored.prepared, entry.definitions);
      authors = authorsOf(entry.definitions, authors);
      revision = entry.definitions.at(-1)?.revision ?? revision;
      if (entry.request !== undefined) revisionRequests = [...revisionRequests, entry.request];
      lastSequence = entry.sequence + entry.events.length - 1;
      lastEventAtMs = Date.parse(entry.events.at(-1)?.timestamp ?? "");
      if (entry.end?.context !== undefined) {
        const { planId } = unit.ref;
        stored.results.set(entry.end.step.index, { planId, sequence: entry.sequence });
      }
    }
    // As in the tables, a plan's state is read from the entries of its log alone.
    const told = { lastSequence, lastEventAtMs, steps, revision, revisionRequests, authors };
    stored.state = { ...(unit.plan ?? stored.state), ...told };
    stored.owner = unit.owner ?? stored.owner;
    for (const index of unit.ended) stored.leases.delete(index);
    for (const { index, attempt, owner = "" } of unit.claimed) {
      const untilMs = this.#world.nowMs() + LEASE_MS;
      stored.leases.set(index, { attempt, owner, nodeId: this.#nodeId, untilMs });
    }
  }

  /** A node whose lease has expired stays dead; if the process continues, it is a new node. */
  #isAliveNow(nodeId: string): boolean {
    const untilMs = this.#store.nodes.get(nodeId) ?? 0;
    if (untilMs < this.#world.nowMs()) this.#store.nodes.delete(nodeId);
    return this.#store.nodes.has(nodeId);
  }

  #beat(): void {
    if (this.#isKilled) return;
    const nowMs = this.#world.nowMs();
    if (nowMs >= this.#hangsUntilMs) {
      if (!this.#store.nodes.has(this.#nodeId)) {
        this.#nodeId = `node-${String(this.#store.nodes.size)}-${String(this.#world.random())}`;
      }
      this.#store.nodes.set(this.#nodeId, nowMs + NODE_LEASE_MS);
      this.#validUntilMs = nowMs + NODE_LEASE_MS;
      for (const listener of this.#beatListeners) listener();
    }
    this.#world.timers.after(BEAT_MS, () => {
      this.#beat();
    });
  }
}

function unavailable(): AppError {
  return new AppError("STORE_UNAVAILABLE", "The simulated log does not answer");
}
