import { AppError } from "@steward/kernel/errors.js";
import type { PostgresObject, PostgresSchema, SchemaObject } from "../model/schema.js";
import { changesBetween } from "../model/schema-diff.js";
import { leftAloneIn } from "./objects/unmanaged.js";
import { needsOf } from "./objects/dependency-order.js";
import type { RebuildPlan } from "./rebuild-plan.js";

/**
 * Refuses a migration that would create, alter or drop an unmanaged object, or drop something that
 * an unmanaged object needs.
 * @throws AppError `INVALID_ARGUMENT`, naming the object and the reason.
 */
export function refuseLeftAlone(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
): void {
  const [before, after] = [leftAloneIn(base), leftAloneIn(target)];
  for (const [id, cause] of [...before, ...after]) {
    const [old, now] = [base.find(id), target.find(id)];
    const isTouched =
      old === undefined ||
      now === undefined ||
      old.name !== now.name ||
      changesBetween(old, now).length > 0;
    if (isTouched) throw refusal(old === undefined ? target : base, old ?? now, cause);
  }
  for (const [id, cause] of before) {
    const object = base.get(id);
    const lost = needsOf(object).find((need) => rebuild.isGone(need));
    if (lost === undefined) continue;
    const because = cause.id === id ? "" : `, because it needs the ${say(base, cause)}`;
    throw new AppError(
      "INVALID_ARGUMENT",
      `The ${say(base, object)} needs ${base.pathOf(base.get(lost))}, which would have to be dropped, and no migration could ` +
        `create it again${because}. Drop it by hand and accept the drift (steward migrate-db drift --accept), or ` +
        "leave what it needs as it is",
    );
  }
}

function refusal(
  schema: PostgresSchema,
  object: PostgresObject | undefined,
  cause: SchemaObject,
): AppError {
  const isCause = object === undefined || object.id === cause.id;
  const needs = isCause ? "" : ` ${schema.pathOf(object)}, which needs`;
  return new AppError(
    "INVALID_ARGUMENT",
    `No migration creates, changes or drops${needs} the ${say(schema, cause)}: do it by hand, and accept the drift`,
  );
}

function say(schema: PostgresSchema, object: SchemaObject): string {
  if (object.kind === "Unmanaged") return object.name;
  const path = schema.pathOf(object);
  return object.values.isDetachPending === true
    ? `partition ${path} whose DETACH has not finished`
    : path;
}
