import { EventEmitter } from "node:events";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import {
  auditEventOf,
  type LoggedAuditEvent,
  type LoggedToolCall,
  type ToolCallLog,
} from "../../kernel/tool-call.js";
import type { PlanRef } from "../../plans/ports.js";
import {
  acknowledge,
  placesIn,
  readUnread,
  type CallConsumer,
  type PlacedCall,
} from "./call-feed.js";
import type { Database } from "./database.js";
import type { UnreadPlans } from "./unread-plans.js";

/** Calls kept for those who follow the log; the oldest are forgotten first. */
const ENTRIES_MAX = 10_000;

interface Entry extends LoggedToolCall {
  readonly ref: PlanRef;
  /** Its place in the log of its plan. */
  readonly planSequence: number;
}

/**
 * The tool calls that this node follows: those that nobody has consumed yet when it starts, and those
 * that it writes. What is durable is in the logs of the plans; the numbers given here are this
 * process's own, in the order in which it came to know of the calls.
 */
export class PostgresToolCallLog implements ToolCallLog {
  readonly #db: Database;
  readonly #unread: Readonly<Record<CallConsumer, UnreadPlans>>;
  readonly #wakes = new EventEmitter().setMaxListeners(0);
  readonly #entries: Entry[] = [];
  /** Event ids of the entries: a call may be found that was written here. */
  readonly #known = new Set<string>();
  readonly #places: Record<CallConsumer, number> = { usage: 0, memory: 0 };
  #last = 0;
  #loaded: Promise<void> | undefined;

  constructor(db: Database, unread: Readonly<Record<CallConsumer, UnreadPlans>>) {
    this.#db = db;
    this.#unread = unread;
    unread.memory.onFound(() => this.#wakes.emit("recorded"));
    unread.usage.onFound((found) => {
      this.#adopt(found).catch(() => undefined);
    });
  }

  async position(consumer: string): Promise<number> {
    await this.#load();
    return isConsumer(consumer) ? this.#places[consumer] : 0;
  }

  async readAfter(sequence: number, limit: number): Promise<readonly LoggedToolCall[]> {
    await this.#load();
    return this.#after(sequence, limit).map((entry) => ({
      sequence: entry.sequence,
      record: entry.record,
    }));
  }

  async auditEventsAfter(sequence: number, limit: number): Promise<readonly LoggedAuditEvent[]> {
    await this.#load();
    return this.#after(sequence, limit).map((entry) => ({
      sequence: entry.sequence,
      event: auditEventOf(entry.record),
    }));
  }

  /** The places of other consumers than usage and memory last as long as the process. */
  async acknowledge(consumer: string, sequence: number): Promise<void> {
    if (!isConsumer(consumer)) return;
    const newest = new Map(
      this.#entries
        .filter((entry) => entry.sequence <= sequence)
        .map((entry) => [entry.ref.planId, entry]),
    );
    for (const { ref, planSequence: through } of newest.values()) {
      const places = await placesIn(this.#db, ref.orgId, [ref.planId]);
      const from = places.get(ref.planId)?.[consumer] ?? 0;
      if (from >= through) continue;
      await this.#db.transaction((connection) =>
        acknowledge(connection, consumer, [{ ref, from, through }]),
      );
    }
    this.#places[consumer] = Math.max(this.#places[consumer], sequence);
  }

  onRecorded(wake: () => void): Unsubscribe {
    this.#wakes.on("recorded", wake);
    return () => this.#wakes.off("recorded", wake);
  }

  /** Takes calls over that were just committed, and wakes whoever follows. */
  recorded(ref: PlanRef, calls: readonly PlacedCall[]): void {
    this.#unread.usage.add(ref);
    this.#unread.memory.add(ref);
    for (const call of calls) this.#add(ref, call);
    this.#wakes.emit("recorded");
  }

  /** Follows calls that nobody else does any more. Those that cannot be read are found again later. */
  async #adopt(found: readonly PlanRef[]): Promise<void> {
    await this.#load();
    for (const [orgId, planIds] of byOrganization(found)) {
      const { parts } = await readUnread(this.#db, "usage", orgId, planIds, ENTRIES_MAX);
      for (const { ref, calls } of parts) {
        for (const call of calls) this.#add(ref, call);
      }
    }
    this.#wakes.emit("recorded");
  }

  #after(sequence: number, limit: number): readonly Entry[] {
    const skipped = sequence - (this.#last - this.#entries.length);
    const first = Math.max(skipped, 0);
    return this.#entries.slice(first, first + limit);
  }

  #add(ref: PlanRef, { sequence, record }: PlacedCall): void {
    if (this.#known.has(record.eventId)) return;
    this.#known.add(record.eventId);
    this.#last += 1;
    this.#entries.push({ sequence: this.#last, ref, planSequence: sequence, record });
    if (this.#entries.length < 2 * ENTRIES_MAX) return;
    for (const gone of this.#entries.splice(0, ENTRIES_MAX))
      this.#known.delete(gone.record.eventId);
  }

  #load(): Promise<void> {
    this.#loaded ??= this.#loadOnce().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #loadOnce(): Promise<void> {
    const written = this.#entries.splice(0);
    this.#known.clear();
    const { usage, memory } = this.#unread;
    for (const [orgId, planIds] of byOrganization([
      ...(await usage.all()),
      ...(await memory.all()),
    ])) {
      const unread = await readUnread(this.#db, "any", orgId, planIds, ENTRIES_MAX);
      const places = await placesIn(this.#db, orgId, planIds);
      for (const { ref, calls } of unread.parts) {
        const place = places.get(ref.planId);
        for (const call of calls) {
          this.#add(ref, call);
          for (const consumer of ["usage", "memory"] as const) {
            const isFirst = this.#places[consumer] === this.#last - 1;
            if (isFirst && call.sequence <= (place?.[consumer] ?? 0)) {
              this.#places[consumer] = this.#last;
            }
          }
        }
      }
    }
    for (const { ref, planSequence: sequence, record } of written) {
      this.#add(ref, { sequence, record });
    }
  }
}

function byOrganization(refs: readonly PlanRef[]): ReadonlyMap<string, readonly string[]> {
  const byOrg = new Map<string, Set<string>>();
  for (const { orgId, planId } of refs) {
    byOrg.set(orgId, (byOrg.get(orgId) ?? new Set()).add(planId));
  }
  return new Map([...byOrg].map(([orgId, planIds]) => [orgId, [...planIds]]));
}

function isConsumer(name: string): name is CallConsumer {
  return name === "usage" || name === "memory";
}
