import type { PlanStatus } from "@steward/client";

const STATUSES: readonly PlanStatus[] = ["pending", "running", "completed", "failed", "cancelled"];

/** The filters of the list of plans, as its address contains them. */
export interface PlanFilters {
  readonly q?: string;
  readonly status?: PlanStatus;
  readonly session?: string;
}

/** The filters of an address, which anybody may have written. */
export function planFiltersOf(search: Readonly<Record<string, unknown>>): PlanFilters {
  const { q, status, session } = search;
  return {
    ...(typeof q === "string" && q !== "" ? { q } : {}),
    ...(isStatus(status) ? { status } : {}),
    // The router reads a session that looks like a number as a number.
    ...(typeof session === "string" || typeof session === "number"
      ? { session: String(session) }
      : {}),
  };
}

export function hasFilters(filters: PlanFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

function isStatus(value: unknown): value is PlanStatus {
  return STATUSES.some((status) => status === value);
}
