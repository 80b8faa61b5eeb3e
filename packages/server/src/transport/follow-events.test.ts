import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { EVENTS_PAGE_MAX } from "./limits.js";
import type { PlanEvent, PlanEventType, PlanJournal, QueryRuntimeContext } from "../plans/index.js";
import { followEvents } from "./follow-events.js";

/** A plan's log of a custom orchestrator. */
class EventLog implements Pick<PlanJournal, "readEvents" | "onPlanEvents"> {
  readonly events: PlanEvent[] = [];
  readonly listeners = new Set<() => void>();
  reads = 0;

  append(...types: PlanEventType[]): void {
    for (const eventType of types) {
      const sequence = this.events.length + 1;
      const timestamp = "2026-03-01T09:30:00.000Z";
      this.events.push({ planId: "p1", sequence, eventType, payloadJson: "{}", timestamp });
    }
    for (const wake of this.listeners) wake();
  }

  readEvents(_planId: string, after: number, limit: number): Promise<readonly PlanEvent[]> {
    this.reads += 1;
    if (after > this.events.length) {
      return Promise.reject(new AppError("CURSOR_OUT_OF_RANGE", "The cursor is beyond the log"));
    }
    return Promise.resolve(this.events.slice(after, after + limit));
  }

  onPlanEvents(_planId: string, wake: () => void): () => void {
    this.listeners.add(wake);
    return () => this.listeners.delete(wake);
  }
}

function follow(
  log: EventLog,
  afterSequence = 0,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<readonly PlanEvent[], void, void> {
  const ctx: QueryRuntimeContext = {
    ...NOBODY,
    orgId: "o1",
    requestId: "r1",
    signal,
  };
  // Following does not use listing and retrying.
  return followEvents(log as unknown as PlanJournal, "p1", afterSequence, ctx);
}

async function sequences(pages: AsyncIterable<readonly PlanEvent[]>): Promise<number[]> {
  const seen: number[] = [];
  for await (const page of pages) seen.push(...page.map((event) => event.sequence));
  return seen;
}

describe("following a plan's events", () => {
  it("replays from the cursor and ends after the event that ends the plan", async () => {
    const log = new EventLog();
    log.append("PlanCreated", "PlanStarted", "PlanCompleted");
    expect(await sequences(follow(log))).toEqual([1, 2, 3]);
    expect(await sequences(follow(log, 1))).toEqual([2, 3]);
    expect(log.listeners.size).toBe(0);
  });

  it("ends at once for a reader who has seen the end", async () => {
    const log = new EventLog();
    log.append("PlanCreated", "PlanCancelled");
    expect(await sequences(follow(log, 2))).toEqual([]);
  });

  it("goes on live after the replay, without waiting for the next look", async () => {
    const log = new EventLog();
    log.append("PlanCreated");
    const pages = follow(log);
    await pages.next();
    const next = pages.next();
    log.append("PlanStarted");
    expect((await next).value).toHaveLength(1);
    log.append("PlanCompleted");
    expect(await sequences(pages)).toEqual([3]);
  });

  it("sees what no wake-up told of", async () => {
    const log = new EventLog();
    log.append("PlanCreated");
    const pages = follow(log);
    await pages.next();
    log.listeners.clear();
    log.append("PlanCompleted");
    expect(await sequences(pages)).toEqual([2]);
  });

  it("replays past a failure that was retried", async () => {
    const log = new EventLog();
    log.append("PlanCreated", "PlanFailed", "PlanRetried", "PlanCompleted");
    expect(await sequences(follow(log))).toEqual([1, 2, 3, 4]);
    expect(await sequences(follow(log, 2))).toEqual([3, 4]);
  });

  it("reads a long log page by page, each when the one before has been taken", async () => {
    const log = new EventLog();
    const steps = new Array<PlanEventType>(EVENTS_PAGE_MAX * 2 - 1).fill("PlanStepExecuted");
    log.append(...steps, "PlanCompleted");
    const pages = follow(log);
    await pages.next();
    expect(log.reads).toBe(1);
    expect(await sequences(pages)).toHaveLength(EVENTS_PAGE_MAX);
  });

  it("refuses a cursor beyond the log", async () => {
    const log = new EventLog();
    log.append("PlanCreated");
    for (const cursor of [2, 3]) {
      await expect(follow(log, cursor).next()).rejects.toMatchObject({
        code: "CURSOR_OUT_OF_RANGE",
      });
    }
    expect(log.listeners.size).toBe(0);
  });

  it("ends quietly, and lets go of the log, when the reader is gone", async () => {
    const log = new EventLog();
    log.append("PlanCreated");
    const reader = new AbortController();
    const pages = follow(log, 0, reader.signal);
    await pages.next();
    const end = pages.next();
    reader.abort();
    expect((await end).done).toBe(true);
    expect(log.listeners.size).toBe(0);
  });
});
