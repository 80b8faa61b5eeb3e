import type { AnnouncedToolCall, ToolCallGate } from "../../governance/index.js";
import { whenKnown } from "@steward/kernel/concurrency/when-known.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { Admission, BudgetReservations } from "../ports.js";
import type { BudgetInPeriod } from "./budgets.js";
import type { UsageRecorder } from "../events/recorder.js";

/** Interval of looking for reservations that must be released again, in ms. */
const RELEASE_AGAIN_MS = 250;
/** Longest pause before a reservation is released again, in ms. */
const RELEASE_CAP_MS = 30_000;

/** Called with each call that budgets do not cover. */
export type OnExceeded = (
  call: Pick<AnnouncedToolCall, "orgId">,
  exceeded: readonly BudgetInPeriod[],
) => void;

/** The key of a call's reservation. */
type Reserved = Pick<AnnouncedToolCall, "orgId" | "eventId">;

/**
 * Admits a tool call if its organization's budgets cover it and it can be recorded. The port hides
 * whether budgets are decided in this process or in a shared store.
 */
export class UsageGate implements ToolCallGate, AsyncDisposable {
  readonly #reservations: BudgetReservations;
  readonly #recorder: UsageRecorder;
  readonly #log: Log;
  readonly #onExceeded: OnExceeded;
  /** Calls that have, or may have, a reservation, by the ids of their future records. */
  readonly #reserved = new Set<string>();
  /** Reservations whose release has failed so far. */
  readonly #unreleased = new Map<string, Reserved>();
  readonly #releasing: WorkerLoop;

  constructor(
    reservations: BudgetReservations,
    recorder: UsageRecorder,
    log: Log,
    onExceeded: OnExceeded = () => undefined,
  ) {
    this.#reservations = reservations;
    this.#recorder = recorder;
    this.#log = log;
    this.#onExceeded = onExceeded;
    this.#releasing = new WorkerLoop({
      name: "releasing reserved budgets",
      work: () => this.#releaseAll(),
      restMs: () => RELEASE_AGAIN_MS,
      itemBackoff: { baseMs: RELEASE_AGAIN_MS, capMs: RELEASE_CAP_MS },
      begin: "later",
      end: "finish",
      log,
    });
    recorder.onRecorded((events) => {
      for (const { id } of events) this.#reserved.delete(id);
    });
  }

  admit(call: AnnouncedToolCall): readonly string[] | Promise<readonly string[]> {
    const reserved = whenKnown(call, () => this.#reserve(call));
    return whenKnown(reserved, (admission) => this.#admitted(call, admission));
  }

  /** @returns the warnings of {@link admit}. */
  #admitted(call: AnnouncedToolCall, admission: Admission): readonly string[] {
    if (admission.kind !== "admitted") this.#reserved.delete(call.eventId);
    if (admission.kind === "unlimited") return [];
    if (admission.exceeded.length > 0) this.#onExceeded(call, admission.exceeded);
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

  /**
   * Makes the organization's prices and budgets be read again. Call it under the same lock as the
   * change.
   */
  refresh(orgId: string): void {
    this.#reservations.refresh(orgId);
  }

  /** A reservation that could not be released counts until the store presumes this process dead. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#releasing[Symbol.asyncDispose]();
  }

  /** When the store fails to decide, the call does not run, although it may be reserved. */
  #reserve(call: AnnouncedToolCall): Admission | Promise<Admission> {
    this.#recorder.checkRoom();
    this.#reserved.add(call.eventId);
    const admission = this.#reservations.reserve(call);
    if (!(admission instanceof Promise)) return admission;
    return admission.catch((error: unknown) => {
      this.release(call);
      throw error;
    });
  }

  async #releaseAll(): Promise<BatchEnd> {
    const idOf = ({ eventId }: Reserved): string => eventId;
    await this.#releasing.setAside.each(this.#unreleased.values(), idOf, async (call) => {
      await this.#reservations.release(call.orgId, call.eventId);
      this.#unreleased.delete(call.eventId);
    });
    return this.#unreleased.size > 0 ? "more" : "idle";
  }
}
