import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { OperationCaller } from "../kernel/recorded-operation.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { type Ids, isUuid } from "@steward/kernel/ids.js";
import { SESSION_ID_LENGTH_MAX } from "../kernel/limits.js";
import { HOLD_REASON_LENGTH_MAX, LEGAL_HOLDS_MAX, RETENTION_DAYS_MAX } from "./limits.js";
import type { LegalHold, RetentionStore, RetentionVersion } from "./ports.js";
import {
  RETENTION_CLASSES,
  type RetentionClass,
  retentionDays,
  type RetentionPeriods,
  type RetentionRules,
} from "./retention-period.js";

/** Dependencies of the service. */
export interface RetentionServiceParts {
  readonly rules: RetentionRules;
  readonly store: RetentionStore;
  /** Notified when periods were changed, and when a hold was lifted. */
  readonly onChanged: () => void;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The periods of one class; absent days: without limit, or none of its own. */
export interface ShownPeriod {
  readonly class: RetentionClass;
  /** The days in force. */
  readonly days?: number;
  /** The operator's days. */
  readonly operatorDays?: number;
  /** The organization's own days. */
  readonly ownDays?: number;
}

/** The retention of an organization. */
export interface ShownRetention {
  readonly periods: readonly ShownPeriod[];
  /** Absent: the organization has set nothing. */
  readonly own?: RetentionVersion;
}

/** New periods by class; `undefined` removes the organization's own period. */
export type PeriodChanges = ReadonlyMap<RetentionClass, number | undefined>;

/** How often a change is tried again after another change came first. */
const TRIES_MAX = 5;

/**
 * Shows and changes for how long the caller's organization keeps its data, and its legal holds.
 * Every method may reject with AppError `STORE_UNAVAILABLE`.
 */
export class RetentionService {
  readonly #parts: RetentionServiceParts;

  constructor(parts: RetentionServiceParts) {
    this.#parts = parts;
  }

  async show({ orgId }: Pick<Caller, "orgId">): Promise<ShownRetention> {
    return this.#shown(await this.#parts.store.latest(orgId));
  }

  /** The days for which an organization's data of a class is kept; `undefined`: without limit. */
  async days(orgId: string, of: RetentionClass): Promise<number | undefined> {
    const own = await this.#parts.store.latest(orgId);
    return retentionDays(this.#parts.rules, own?.periods ?? {}, of);
  }

  /**
   * Changes some of the organization's own periods; the others stay.
   * @param fieldOf names the field of a period in errors.
   * @throws AppError `INVALID_ARGUMENT` when a period is out of range or longer than the operator
   * allows.
   */
  async change(
    caller: OperationCaller,
    changes: PeriodChanges,
    fieldOf: (of: RetentionClass) => string = (of) => of,
  ): Promise<ShownRetention> {
    for (const [of, days] of changes) {
      if (days !== undefined) this.#checkDays(of, days, fieldOf(of));
    }
    const { store, clock } = this.#parts;
    const { orgId, operation } = caller;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const former = await store.latest(orgId);
      const periods = changed(former?.periods ?? {}, changes);
      // A repeated request changes nothing.
      if (isEqual(periods, former?.periods ?? {})) return this.#shown(former);
      const version: RetentionVersion = {
        orgId,
        version: (former?.version ?? 0) + 1,
        periods,
        changedBy: nameOf(caller),
        changedAtMs: clock.nowMs(),
      };
      operation?.tell({ detail: { version: version.version, periods: { ...periods } } });
      if (await store.put(version, operation)) {
        this.#parts.onChanged();
        return this.#shown(version);
      }
    }
    throw new AppError("OVERLOADED", "The retention is being changed by many others; try again", {
      retryAfterMs: 1000,
    });
  }

  holds({ orgId }: Pick<Caller, "orgId">): Promise<readonly LegalHold[]> {
    return this.#parts.store.holds(orgId);
  }

  /**
   * Places a hold on the organization, or on one session.
   * @throws AppError `INVALID_ARGUMENT`; `LIMIT_EXCEEDED` when the organization has too many.
   */
  async placeHold(
    caller: OperationCaller,
    asked: { readonly sessionId?: string; readonly reason: string },
  ): Promise<LegalHold> {
    const { sessionId, reason } = asked;
    if (reason.trim() === "" || reason.length > HOLD_REASON_LENGTH_MAX) {
      throw invalidField("reason", `must have 1 to ${HOLD_REASON_LENGTH_MAX} characters`);
    }
    if (sessionId !== undefined && (sessionId === "" || sessionId.length > SESSION_ID_LENGTH_MAX)) {
      throw invalidField("session_id", `must have 1 to ${SESSION_ID_LENGTH_MAX} characters`);
    }
    const { store, clock, ids } = this.#parts;
    const { orgId, operation } = caller;
    if ((await store.holds(orgId)).length >= LEGAL_HOLDS_MAX) {
      throw new AppError(
        "LIMIT_EXCEEDED",
        `The organization has ${LEGAL_HOLDS_MAX} legal holds; lift one, or hold the whole organization`,
      );
    }
    const hold: LegalHold = {
      ...{ orgId, reason, holdId: ids.orderedUuid() },
      ...(sessionId === undefined ? {} : { sessionId }),
      placedBy: nameOf(caller),
      placedAtMs: clock.nowMs(),
    };
    operation?.tell({ subject: hold.holdId });
    await store.placeHold(hold, operation);
    return hold;
  }

  /** @throws AppError `NOT_FOUND`. */
  async liftHold(
    { orgId, operation }: Pick<OperationCaller, "orgId" | "operation">,
    holdId: string,
  ): Promise<void> {
    const id = holdId.toLowerCase();
    if (!isUuid(id) || !(await this.#parts.store.liftHold(orgId, id, operation))) {
      throw new AppError(
        "NOT_FOUND",
        "The organization has no legal hold with this id; list its holds",
      );
    }
    this.#parts.onChanged();
  }

  #checkDays(of: RetentionClass, days: number, field: string): void {
    if (!Number.isInteger(days) || days < 1 || days > RETENTION_DAYS_MAX) {
      throw invalidField(field, `must be an integer from 1 to ${RETENTION_DAYS_MAX}`);
    }
    const { periods, mayBeLonger } = this.#parts.rules;
    const most = periods[of];
    if (mayBeLonger || most === undefined || days <= most) return;
    throw invalidField(
      field,
      `must be at most ${String(most)} days, for which the operator keeps this data; ask the operator for ` +
        "longer periods (SERVICE_RETENTION_LONGER)",
    );
  }

  #shown(own: RetentionVersion | undefined): ShownRetention {
    const { rules } = this.#parts;
    const ownPeriods = own?.periods ?? {};
    const periods = RETENTION_CLASSES.map((of): ShownPeriod => {
      const days = retentionDays(rules, ownPeriods, of);
      const [operatorDays, ownDays] = [rules.periods[of], ownPeriods[of]];
      return {
        class: of,
        ...(days === undefined ? {} : { days }),
        ...(operatorDays === undefined ? {} : { operatorDays }),
        ...(ownDays === undefined ? {} : { ownDays }),
      };
    });
    return { periods, ...(own && { own }) };
  }
}

function changed(periods: RetentionPeriods, changes: PeriodChanges): RetentionPeriods {
  return Object.fromEntries(
    RETENTION_CLASSES.flatMap((of) => {
      const days = changes.has(of) ? changes.get(of) : periods[of];
      return days === undefined ? [] : [[of, days] as const];
    }),
  );
}

function isEqual(one: RetentionPeriods, other: RetentionPeriods): boolean {
  return RETENTION_CLASSES.every((of) => one[of] === other[of]);
}

function nameOf({ userId, agentId, keyId }: Caller): string {
  return userId ?? agentId ?? keyId ?? "";
}
