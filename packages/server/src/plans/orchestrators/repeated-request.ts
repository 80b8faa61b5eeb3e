import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { AppError } from "@steward/kernel/errors.js";
import type { PlanEngine } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";
import type { PlanRecord } from "../plan.js";
import type { NewPlan } from "../ports.js";
import { requestHash } from "./request-hash.js";

/** The part of a new plan that identifies a repeated request: its idempotency key, if it has one. */
export type KeyedRequest = Pick<NewPlan, "idempotency">;

/**
 * Creates a plan, or answers as before when the same request created one under its idempotency key.
 * The request is checked against the present state, in which it may have become invalid: the source of
 * a fork has continued, a table was dropped, a policy has changed. Therefore a repeated request gets the
 * first answer even when its checks fail now.
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
