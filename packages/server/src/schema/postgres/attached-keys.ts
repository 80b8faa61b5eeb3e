import { AppError } from "../../kernel/errors.js";
import type { Schema } from "../schema.js";
import { Attachments } from "./attachments.js";
import { CONSTRAINTS, qualified } from "./names.js";
import type { Remaking } from "./remaking.js";

/**
 * A partition's key may be attached to a partitioned index that is no constraint's. Then neither can be
 * dropped without the other, and no statement detaches the one from the other as long as the partition is one.
 * @throws AppError `INVALID_ARGUMENT`, naming both and the way out, when such an index would have to go.
 */
export function refuseAttachedKeys(base: Schema, remaking: Remaking): void {
  const attachments = new Attachments(base);
  for (const index of base.all("Index").filter((each) => remaking.isDropped(each))) {
    const key = attachments.partsOf(index.id).find(({ kind, parent = "" }) => {
      return CONSTRAINTS.includes(kind) && !remaking.isDropped(base.get(parent));
    });
    const [table, partition] = [index.parent, key?.parent].map((id) => base.find(id ?? ""));
    if (key === undefined || table === undefined || partition === undefined) continue;
    if (remaking.isDropped(table)) continue;
    throw new AppError(
      "INVALID_ARGUMENT",
      `The index ${base.pathOf(index)} would have to be dropped, there or on the way back, but the key ` +
        `${base.pathOf(key)} of a partition is attached to it, and PostgreSQL detaches them only with the partition. ` +
        `Detach it by hand (ALTER TABLE ${qualified(base, table)} DETACH PARTITION ${qualified(base, partition)}), drop ` +
        "the index, attach the partition again, and accept the drift",
    );
  }
}
