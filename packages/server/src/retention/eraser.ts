import type { Clock } from "@steward/kernel/clock.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import { AppError } from "@steward/kernel/errors.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import type { Log } from "@steward/kernel/log.js";
import type { Erasure, PlansInScope } from "./erasure.js";
import { RecordedOperation } from "../kernel/recorded-operation.js";
import { BatchSize } from "./batch-size.js";
import { BATCH_TARGET_MS, ERASURES_SHOWN_MAX } from "./limits.js";
import type {
  ErasedAuditValues,
  ErasedMarkers,
  ErasedPlanNames,
  ErasedRows,
  ErasedState,
  ErasureStore,
  ExpiredEntries,
  ExpiredRows,
  LegalHold,
  PageOfNames,
  RetentionStore,
} from "./ports.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Interval between two passes over an erasure that waits for something: a step that still runs, or
 * a tool call that was not processed yet. At least, in ms.
 */
const PASS_EVERY_MS = 1000;
/** The same as a multiple of what the last pass took: a plan of others that names a user may run for days. */
const REST = 4;
/** Interval between two looks for erasures that another node was told of, in ms. */
const LOOK_EVERY_MS = 30_000;

/** Dependencies of the eraser. */
export interface EraserParts {
  readonly erasures: ErasureStore;
  readonly store: Pick<RetentionStore, "holds">;
  readonly erased: ErasedRows;
  readonly planNames: ErasedPlanNames;
  readonly rows: Pick<ExpiredRows, "deleteLogs" | "deleteUsageDetail" | "purgeWords">;
  readonly entries: ExpiredEntries;
  readonly audit: ErasedAuditValues;
  readonly state: ErasedState;
  readonly markers: ErasedMarkers;
  readonly plans: CancelsPlans;
  /** Runs `work` while nothing else changes or checks usage in this process. */
  readonly withUsage: <T>(work: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Ends plans that still run. */
export interface CancelsPlans {
  cancelPlan(
    ref: { readonly orgId: string; readonly planId: string },
    reason: string,
  ): Promise<unknown>;
}

/**
 * Carries out erasures. A pass deletes all rows that can be deleted now and cancels plans that run; an
 * erasure ends with the first pass that finds nothing left. Every pass starts from the beginning, so
 * nothing is lost when the process ends.
 */
export class Eraser implements AsyncDisposable {
  readonly #parts: EraserParts;
  readonly #loop: WorkerLoop;

  constructor(parts: EraserParts) {
    this.#parts = parts;
    this.#loop = new WorkerLoop({
      name: "erasing data",
      work: () => this.#pass(),
      pollMs: LOOK_EVERY_MS,
      restMs: (durationMs) => Math.max(PASS_EVERY_MS, REST * durationMs),
      begin: "now",
      end: "finish",
      log: parts.log,
    });
  }

  /** Announces a new erasure. */
  wake(): void {
    this.#loop.wake();
  }

  /** Waits for the batch in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  #isEnding(): boolean {
    return this.#loop.isEnding;
  }

  async #pass(): Promise<BatchEnd> {
    const unfinished = await this.#parts.erasures.unfinished();
    const idOf = ({ erasureId }: Erasure): string => erasureId;
    await this.#loop.setAside.each(unfinished, idOf, async (erasure) => {
      if (!this.#isEnding()) await this.#erase(erasure);
    });
    return unfinished.length === 0 ? "idle" : "more";
  }

  async #erase(erasure: Erasure): Promise<void> {
    const { store, erased, rows, withUsage, log } = this.#parts;
    // A hold that was placed meanwhile stops the erasure until it is lifted.
    if (coveringHold(await store.holds(erasure.orgId), erasure) !== undefined) return;
    // Without its subject, everything of it has been deleted before.
    if (erasure.scope === "organization" || erasure.subject !== "") {
      if (!(await this.#erasePlans(erasure)) || this.#isEnding()) return;
      await this.#eraseEntries(erasure);
      await this.#eraseUsage(erasure);
      if (erasure.scope === "organization") await this.#parts.state.erase(erasure.orgId);
      await this.#eraseAuditValues(erasure);
      if (!(await this.#erasePlanNames(erasure)) || this.#isEnding()) return;
      await withUsage(() => erased.eraseNames(erasure));
    }
    // Whatever was deleted before may have left its words, too.
    for (let isMore = true; isMore;) {
      if (this.#isEnding()) return;
      isMore = await this.#batch(newSize(), () => rows.purgeWords());
    }
    await erased.overwrite();
    await this.#finish(erasure);
    log.info({ erasureId: erasure.erasureId, scope: erasure.scope }, "data erased");
  }

  /** Makes the request a receipt, which the audit log has too, committed with it. */
  async #finish(erasure: Erasure): Promise<void> {
    const { erasures, clock } = this.#parts;
    const { orgId, erasureId, scope, subjectDigest } = erasure;
    const ended = (await erasures.list(orgId, ERASURES_SHOWN_MAX)).find(
      (each) => each.erasureId === erasureId,
    );
    const { plans, entries, usage } = ended?.counts ?? erasure.counts;
    const detail = { scope, subject_digest: subjectDigest, plans, entries, usage };
    const atMs = clock.nowMs();
    const receipt = { orgId, atMs, kind: "erasure.finish", subject: erasureId, detail };
    await erasures.finish(erasure, atMs, new RecordedOperation(receipt));
  }

  /** @returns whether no plan of the subject is left. */
  async #erasePlans(erasure: Erasure): Promise<boolean> {
    for (let before = Infinity; !this.#isEnding();) {
      const found = await this.#erasePlansOnce(erasure);
      if (found === 0) break;
      // The others wait for a step that runs, or for a consumer of their tool calls.
      if (found >= before) return false;
      before = found;
    }
    const { rows } = this.#parts;
    const size = newSize();
    for (let isMore = true; isMore && !this.#isEnding();) {
      isMore = await this.#batch(size, (limit) => rows.deleteLogs(erasure.orgId, limit));
    }
    return !this.#isEnding();
  }

  /** @returns whether no plan names the user any more. */
  async #erasePlanNames(erasure: Erasure): Promise<boolean> {
    if (erasure.scope !== "user") return true;
    let isNamed = false;
    const size = newSize();
    for (let page: { after?: string } | undefined = {}; page !== undefined;) {
      const next: { after?: string } = page;
      const of = (limit: number): Promise<PageOfNames> =>
        this.#parts.planNames.erase(erasure, { limit, ...next });
      const done: PageOfNames = await this.#batch(size, of);
      isNamed ||= done.isNamed;
      page = done.through === undefined ? undefined : { after: done.through };
      if (this.#isEnding()) return false;
    }
    return !isNamed;
  }

  /** @returns the number of plans of the subject, before those that it could erase. */
  async #erasePlansOnce(erasure: Erasure): Promise<number> {
    const { erased } = this.#parts;
    const { requestedAtMs: untilMs } = erasure;
    let count = 0;
    const size = newSize();
    for (let page: { after?: string } | undefined = {}; page !== undefined;) {
      const next = page;
      const found = await this.#batch(size, async (limit) => {
        const plans = await erased.plansInScope(erasure, { untilMs, limit, ...next });
        await this.#erasePage(erasure, plans);
        return plans;
      });
      count += found.plans.length;
      page = found.through === undefined ? undefined : { after: found.through };
      if (this.#isEnding()) break;
    }
    return count;
  }

  async #erasePage(erasure: Erasure, { plans }: PlansInScope): Promise<void> {
    const running = plans.filter(({ isOver }) => !isOver).map(({ planId }) => planId);
    await this.#loop.setAside.each(running, String, (id) => this.#cancel(erasure.orgId, id));
    const settled = plans.filter((plan) => plan.isSettled).map(({ planId }) => planId);
    if (settled.length === 0) return;
    // Records are made of the logs of plans, which go with the plans.
    await this.#eraseAuditValues(erasure, settled);
    // A settled plan gets no more entries.
    if (erasure.scope === "user") await this.#eraseEntriesOf(erasure, settled);
    await this.#parts.markers.erase(erasure.orgId, settled);
    await this.#parts.erased.erasePlans(erasure, settled);
  }

  /** Runs a batch, and rests afterwards. */
  async #batch<T>(size: BatchSize, remove: (limit: number) => Promise<T>): Promise<T> {
    const result = await size.batch(remove);
    if (!this.#isEnding()) {
      await new Promise<void>((resolve) => void systemTimers.after(size.restMs, resolve));
    }
    return result;
  }

  /** Deletes in batches until one is not full. @param remove returns the number of deleted rows. */
  async #batches(remove: (limit: number) => Promise<number>): Promise<void> {
    const size = newSize();
    for (let isFull = true; isFull && !this.#isEnding();) {
      isFull = await this.#batch(size, async (limit) => (await remove(limit)) === limit);
    }
  }

  async #cancel(orgId: string, planId: string): Promise<void> {
    try {
      await this.#parts.plans.cancelPlan({ orgId, planId }, "its data is being erased");
    } catch (error) {
      // It has ended meanwhile.
      const code = error instanceof AppError ? error.code : undefined;
      if (code !== "PLAN_NOT_ACTIVE" && code !== "PLAN_NOT_FOUND") throw error;
    }
  }

  async #eraseEntriesOf(erasure: Erasure, planIds: readonly string[]): Promise<void> {
    const { erased, entries, erasures } = this.#parts;
    const entryIds = await erased.entriesOfPlans(erasure.orgId, planIds);
    const deleted = await entries.deleteThese(erasure.orgId, entryIds);
    if (deleted > 0) await erasures.count(erasure, { plans: 0, entries: deleted, usage: 0 });
  }

  async #eraseEntries(erasure: Erasure): Promise<void> {
    const { entries, erasures } = this.#parts;
    const { orgId, scope, subject, requestedAtMs } = erasure;
    if (scope === "user") return;
    const of = {
      beforeMs: requestedAtMs + 1,
      ...(scope === "session" ? { sessionId: subject } : {}),
    };
    await this.#batches(async (limit) => {
      const deleted = await entries.deleteEntries(orgId, of, limit);
      if (deleted > 0) await erasures.count(erasure, { plans: 0, entries: deleted, usage: 0 });
      return deleted;
    });
  }

  /** Erases the personal values of records about these plans; without plans, of the whole subject. */
  async #eraseAuditValues(
    { orgId, scope, subject, requestedAtMs }: Erasure,
    planIds?: readonly string[],
  ): Promise<void> {
    const { audit, clock } = this.#parts;
    await audit.flush();
    const which =
      planIds === undefined
        ? { untilMs: requestedAtMs, ...(scope === "organization" ? {} : { text: subject }) }
        : { untilMs: clock.nowMs(), subjects: planIds };
    await this.#batches((limit) => audit.erase(orgId, which, limit));
  }

  /** The rows of the day of the request go too, so the totals of that day cannot be checked later. */
  async #eraseUsage(erasure: Erasure): Promise<void> {
    const { rows, withUsage, erasures } = this.#parts;
    if (erasure.scope !== "organization") return;
    const beforeMs = (Math.floor(erasure.requestedAtMs / DAY_MS) + 1) * DAY_MS;
    await this.#batches(async (limit) => {
      const deleted = await withUsage(() => rows.deleteUsageDetail(erasure.orgId, beforeMs, limit));
      if (deleted > 0) await erasures.count(erasure, { plans: 0, entries: 0, usage: deleted });
      return deleted;
    });
  }
}

function newSize(): BatchSize {
  return new BatchSize(BATCH_TARGET_MS);
}

/**
 * A hold that forbids an erasure; `undefined`: none does. An organization or a user has rows in
 * any session, so that every hold of the organization covers some of them.
 */
export function coveringHold(
  holds: readonly LegalHold[],
  { scope, subject }: Pick<Erasure, "scope" | "subject">,
): LegalHold | undefined {
  return holds.find(
    ({ sessionId }) => sessionId === undefined || scope !== "session" || sessionId === subject,
  );
}
