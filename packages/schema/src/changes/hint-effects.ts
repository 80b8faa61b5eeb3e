import { AppError } from "@steward/kernel/errors.js";
import { isHintAbout, type RenameHint } from "../model/identify.js";
import type { Schema, SchemaObject } from "../model/schema.js";

/** A hint and its position in the SQL; the position is absent for a hint given beside the SQL. */
export type PlacedHint = RenameHint & { readonly place?: string };

/**
 * Refuses hints that have no effect. Otherwise a misspelt hint would be taken for a rename, while
 * the migration drops the object and its rows.
 * @throws AppError `INVALID_ARGUMENT`, naming the first such hint and how to correct it.
 */
export function refuseIdleHints(base: Schema, wanted: Schema, hints: readonly PlacedHint[]): void {
  for (const hint of hints) {
    const objects = wanted.objects.filter((each) => isHintAbout(hint, each, wanted));
    if (objects.some((now) => isCarriedOut(base, now, hint))) continue;
    const { place, kind, to, from, fromSchema } = hint;
    const before = fromSchema === undefined ? from : `${fromSchema}.${from}`;
    const name = [hint.schema, hint.table, to].filter((each) => each !== undefined).join(".");
    const where = place === undefined ? "" : `${place}: `;
    throw new AppError(
      "INVALID_ARGUMENT",
      `${where}the rename hint from=${before} of the ${kind.toLowerCase()} ${name} has no effect: ` +
        reasonFor(base, objects, hint),
    );
  }
}

function isCarriedOut(base: Schema, now: SchemaObject, hint: RenameHint): boolean {
  const old = base.find(now.id);
  if (old === undefined || !isCalled(old, hint.from, base)) return false;
  return old.name !== now.name || old.parent !== now.parent;
}

function reasonFor(
  base: Schema,
  [now]: readonly SchemaObject[],
  { kind, from, fromSchema, to }: RenameHint,
): string {
  if (now === undefined)
    return "the proposed schema has no such object. Correct or remove the hint";
  const old = base.find(now.id);
  if (old !== undefined && isCalled(old, to, base)) {
    return "the database has it under this name and in this place already. Remove the hint";
  }
  const isThere = base.objects.some((each) => each.kind === now.kind && isCalled(each, from, base));
  if (isThere) {
    const place = fromSchema === undefined ? "where this one is" : `in the schema ${fromSchema}`;
    return (
      `the database has no ${kind.toLowerCase()} ${from} ${place} that no other hint uses. ` +
      "Write from=SCHEMA.NAME where it comes from another schema, or remove the hint"
    );
  }
  return `the database has no ${kind.toLowerCase()} ${from}. Correct the name or remove the hint`;
}

function isCalled({ name }: SchemaObject, wanted: string, { dialect }: Schema): boolean {
  if (dialect === "postgres") return name === wanted;
  return name?.toLowerCase() === wanted.toLowerCase();
}
