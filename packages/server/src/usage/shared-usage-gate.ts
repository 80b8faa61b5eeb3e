import type { AnnouncedToolCall, ToolCallGate } from "../governance/index.js";
import { AppError } from "../kernel/errors.js";
import type { Log } from "../kernel/log.js";
import type { Admission, BudgetReservations, UsageStore } from "./ports.js";
import type { UsageRecorder } from "./recorder.js";

/** How long an organization without budgets is not asked about again, in ms. */
const NO_BUDGETS_MS = 1000;
/** Organizations remembered at once. */
const ORGANIZATIONS_MAX = 10_000;
/** Pause before a release is tried again, in ms. */
const RELEASE_AGAIN_MS = 1000;

/**
 * Admits tool calls where several processes share the store: what a budget has room for is decided
 * there, by one of them at a time. An organization without budgets costs nothing more than a look each
 * second, which is also how long a new budget may take to hold everywhere.
 */
export class SharedUsageGate implements ToolCallGate {
  readonly #reservations: BudgetReservations;
  readonly #store: Pick<UsageStore, "budgets">;
  readonly #recorder: UsageRecorder;
  readonly #log: Log;
  readonly #withoutBudgets = new Map<string, number>();
  readonly #reserved = new Set<string>();

  constructor(
    reservations: BudgetReservations,
    store: Pick<UsageStore, "budgets">,
    recorder: UsageRecorder,
    log: Log,
  ) {
    this.#reservations = reservations;
    this.#store = store;
    this.#recorder = recorder;
    this.#log = log;
    recorder.onRecorded((events) => {
      for (const { id } of events) this.#reserved.delete(id);
    });
  }

  async admit(call: AnnouncedToolCall): Promise<readonly string[]> {
    this.#recorder.checkRoom();
    if (!(await this.#hasBudgets(call.orgId))) return [];
    const admission = await this.#reserve(call);
    if (admission.kind === "refused") {
      const { message, retryAfterMs } = admission;
      throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs });
    }
    for (const warning of admission.warnings) {
      this.#log.warn({ orgId: call.orgId, sessionId: call.sessionId, warning }, "budget exceeded");
    }
    return admission.warnings;
  }

  release(call: Pick<AnnouncedToolCall, "orgId" | "eventId">): void {
    if (!this.#reserved.has(call.eventId)) return;
    this.#reservations.release(call.orgId, call.eventId).then(
      () => this.#reserved.delete(call.eventId),
      (error: unknown) => {
        this.#log.warn({ err: error }, "what a call had reserved could not be given back yet");
        setTimeout(() => {
          this.release(call);
        }, RELEASE_AGAIN_MS).unref();
      },
    );
  }

  /** Has the organization's budgets looked at anew. */
  refresh(orgId: string): void {
    this.#withoutBudgets.delete(orgId);
  }

  /** A call is not made when nobody answers whether it is admitted; it may hold a reservation even so. */
  async #reserve(call: AnnouncedToolCall): Promise<Admission> {
    this.#reserved.add(call.eventId);
    try {
      const admission = await this.#reservations.reserve(call);
      if (admission.kind === "refused") this.#reserved.delete(call.eventId);
      return admission;
    } catch (error) {
      this.release(call);
      throw error;
    }
  }

  async #hasBudgets(orgId: string): Promise<boolean> {
    const now = performance.now();
    if ((this.#withoutBudgets.get(orgId) ?? 0) > now) return false;
    const budgets = await this.#store.budgets(orgId);
    if (budgets.length > 0) return true;
    if (this.#withoutBudgets.size >= ORGANIZATIONS_MAX) this.#withoutBudgets.clear();
    this.#withoutBudgets.set(orgId, now + NO_BUDGETS_MS);
    return false;
  }
}
