import type { AnnouncedToolCall, ToolCallGate } from "../governance/index.js";
import { AppError } from "../kernel/errors.js";
import type { Log } from "../kernel/log.js";
import { type BatchEnd, WorkerLoop } from "../kernel/worker-loop.js";
import type { Admission, BudgetReservations } from "./ports.js";
import type { UsageRecorder } from "./recorder.js";

/** What names a call's reservation. */
type Reserved = Pick<AnnouncedToolCall, "orgId" | "eventId">;

/**
 * Admits tool calls while their organization's budgets cover them and they can be recorded. Where
 * budgets are decided on, in this process or in a store that several share, is behind the port.
 */
export class UsageGate implements ToolCallGate, AsyncDisposable {
  readonly #reservations: BudgetReservations;
  readonly #recorder: UsageRecorder;
  readonly #log: Log;
  /** Calls that have, or may have, a reservation: by the ids that their records will carry. */
  readonly #reserved = new Set<string>();
  /** Reservations that could not be released yet. */
  readonly #unreleased = new Map<string, Reserved>();
  readonly #releasing: WorkerLoop;

  constructor(reservations: BudgetReservations, recorder: UsageRecorder, log: Log) {
    this.#reservations = reservations;
    this.#recorder = recorder;
    this.#log = log;
    this.#releasing = new WorkerLoop({
      name: "releasing reserved budgets",
      work: () => this.#releaseAll(),
      begin: "later",
      end: "finish",
      log,
    });
    recorder.onRecorded((events) => {
      for (const { id } of events) this.#reserved.delete(id);
    });
  }

  async admit(call: AnnouncedToolCall): Promise<readonly string[]> {
    this.#recorder.checkRoom();
    const admission = await this.#reserve(call);
    if (admission.kind === "unlimited") return [];
    if (admission.kind === "refused") {
      const { message, retryAfterMs } = admission;
      throw new AppError("QUOTA_EXCEEDED", message, { retryAfterMs });
    }
    for (const warning of admission.warnings) {
      this.#log.warn({ orgId: call.orgId, sessionId: call.sessionId, warning }, "budget exceeded");
    }
    return admission.warnings;
  }

  release(call: Reserved): void {
    if (!this.#reserved.delete(call.eventId)) return;
    this.#reservations.release(call.orgId, call.eventId).catch(() => {
      this.#unreleased.set(call.eventId, call);
      this.#releasing.wake();
    });
  }

  /** Has the organization's prices and budgets read anew. Called in the turn that changed them. */
  refresh(orgId: string): void {
    this.#reservations.refresh(orgId);
  }

  /** What could not be released counts until the store takes this process for gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#releasing[Symbol.asyncDispose]();
  }

  /** A call is not made when nobody answers whether it is admitted; it may hold a reservation even so. */
  async #reserve(call: AnnouncedToolCall): Promise<Admission> {
    this.#reserved.add(call.eventId);
    try {
      const admission = await this.#reservations.reserve(call);
      if (admission.kind !== "admitted") this.#reserved.delete(call.eventId);
      return admission;
    } catch (error) {
      this.release(call);
      throw error;
    }
  }

  async #releaseAll(): Promise<BatchEnd> {
    for (const { orgId, eventId } of this.#unreleased.values()) {
      await this.#reservations.release(orgId, eventId);
      this.#unreleased.delete(eventId);
    }
    return "idle";
  }
}
