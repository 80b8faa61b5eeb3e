import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { AppError } from "@steward/kernel/errors.js";
import type { PlanEngine } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PlanRecord } from "../plan.js";
import type { NewPlan } from "../ports.js";
import { requestHash } from "./request-hash.js";

/** What the store remembers of a request for a new plan: nothing without an idempotency key. */
export type KeyedRequest = Pick<NewPlan, "idempotency">;

/**
 * Creates a plan, or answers as before when the same request created one under its idempotency key.
 * The request is checked against the state of now, in which the first one may no longer be valid: the
 * source of a fork went on, a table is gone, a policy has changed. So the first answer counts where a
 * check fails, too.
 * @param request everything that makes two requests the same: strings, numbers and lists.
 */
export async function createdOrRepeated(
  engine: PlanEngine,
  { orgId, idempotencyKey: key }: QueryRuntimeContext,
  request: object,
  create: (keyed: KeyedRequest) => Promise<PlanRecord>,
): Promise<PlanRecord> {
  if (key === undefined) return create({});
  // A request is made of strings, numbers and lists only.
  const idempotency = { key, requestHash: requestHash(request as JsonValue) };
  try {
    return await create({ idempotency });
  } catch (error) {
    const earlier =
      error instanceof AppError ? await engine.earlierPlan(orgId, idempotency) : undefined;
    if (earlier === undefined) throw error;
    return earlier;
  }
}
