import { AppError } from "@steward/kernel/errors.js";
import { isOf, type PostgresSchema } from "../model/schema.js";
import { Attachments } from "./objects/attachments.js";
import { CONSTRAINTS, qualified } from "./objects/names.js";
import type { RebuildPlan } from "./rebuild-plan.js";

/**
 * A partition's key may be attached to a partitioned index that belongs to no constraint.
 * PostgreSQL then drops neither without the other, and has no statement that detaches the key while
 * the table is a partition.
 * @throws AppError `INVALID_ARGUMENT`, naming both objects and what to do, when the migration would
 * have to drop such an index.
 */
export function refuseAttachedKeys(base: PostgresSchema, rebuild: RebuildPlan): void {
  const attachments = new Attachments(base);
  for (const index of base.all("Index").filter((each) => rebuild.isDropped(each))) {
    const key = attachments.partsOf(index.id).find((part) => {
      return isOf(part, CONSTRAINTS) && !rebuild.isDropped(base.above(part));
    });
    const [table, partition] = [index.parent, key?.parent].map((id) => base.find(id));
    if (key === undefined || table === undefined || partition === undefined) continue;
    if (rebuild.isDropped(table)) continue;
    throw new AppError(
      "INVALID_ARGUMENT",
      `The index ${base.pathOf(index)} would have to be dropped, there or on the way back, but the key ` +
        `${base.pathOf(key)} of a partition is attached to it, and PostgreSQL detaches them only with the partition. ` +
        `Detach it by hand (ALTER TABLE ${qualified(base, table)} DETACH PARTITION ${qualified(base, partition)}), drop ` +
        "the index, attach the partition again, and accept the drift",
    );
  }
}
