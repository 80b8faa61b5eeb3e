import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Kind } from "../model/kinds.js";
import type { Schema } from "../model/schema.js";
import { changesBetween } from "../model/schema-diff.js";

/**
 * Objects that contain or install code. Such code runs implicitly, with the rights of its owner or
 * of the user who touches the data (docs/data-sources.md).
 */
const CODE: ReadonlySet<Kind> = new Set([
  ...(["Function", "Procedure", "Aggregate", "Operator", "Cast"] as const),
  ...(["Extension", "Rule", "Trigger", "Opaque"] as const),
]);

/** Limit of objects named in an error. */
const NAMED_MAX = 5;

/**
 * Resolves when the caller may define code.
 * @throws AppError `POLICY_DENIED`.
 */
export type MayDefineCode = (caller: Caller) => Promise<void>;

/** The code objects that `after` adds or changes: `Function shop.total`. */
export function newCode(before: Schema, after: Schema): readonly string[] {
  return after.objects
    .filter(({ kind }) => CODE.has(kind))
    .filter((now) => {
      const old = before.find(now.id);
      return old === undefined || changesBetween(old, now).length > 0;
    })
    .map((object) => `${object.kind} ${after.pathOf(object)}`);
}

/**
 * Requires the permission to define code, if the migration adds or changes any.
 * @throws AppError `POLICY_DENIED` naming the code objects and the missing permission.
 */
export async function requireCode(
  caller: Caller,
  { from, to }: { readonly from: Schema; readonly to: Schema },
  mayDefine: MayDefineCode | undefined,
): Promise<void> {
  const code = newCode(from, to);
  if (code.length === 0 || mayDefine === undefined) return;
  try {
    await mayDefine(caller);
  } catch (error) {
    const refusal = AppError.from(error);
    const more = code.length > NAMED_MAX ? ` and ${String(code.length - NAMED_MAX)} more` : "";
    const named = code.slice(0, NAMED_MAX).join(", ") + more;
    throw new AppError(refusal.code, `The migration defines code (${named}): ${refusal.message}`, {
      details: refusal.details,
      cause: error,
    });
  }
}
