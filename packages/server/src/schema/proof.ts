import { AppError } from "../kernel/errors.js";
import { withPauses } from "../kernel/pausing.js";
import type { Hash } from "../state/index.js";
import { identify } from "./identify.js";
import type { SchemaDatabase, ScratchDatabase, Script } from "./ports.js";
import { rootOf } from "./root.js";
import type { Schema } from "./schema.js";
import { withoutInvalidIndexes } from "./postgres/invalid-indexes.js";
import { withoutUnmanaged } from "./unmanaged.js";
import { diffSchemas, isSameSchema, type Operation } from "./schema-diff.js";
import { scriptFor } from "./script.js";
import { findingTouchedPart } from "./touched-part.js";

/** A way that is to be proven. */
export interface Way {
  readonly base: Schema;
  readonly target: Schema;
  readonly up: Script;
  readonly down: Script;
}

/** One stretch of a proof: where it was to lead, and where it led. */
export interface Stretch {
  readonly name: "base" | "up" | "down";
  readonly expected: Hash;
  readonly reached: Hash;
  /** What would still have to happen; empty when the roots are equal. */
  readonly missing: readonly Operation[];
}

/** What trying a migration on a scratch database came to. */
export interface MigrationProof {
  readonly isProven: boolean;
  readonly stretches: readonly Stretch[];
}

/**
 * Tries a migration before it is used: makes the base in an empty database, goes up, and comes down
 * again. It is proven when the roots read after each stretch are those of base, target and base.
 * @throws AppError `INVALID_ARGUMENT` with the statement that the engine refused.
 */
export async function proveMigration(database: SchemaDatabase, way: Way): Promise<MigrationProof> {
  await using scratch = await database.scratch();
  const { base, target, up, down } = managed(way);
  const stretches = [
    await go(scratch, "base", scriptFor(base, await scratch.introspect()), base),
    await go(scratch, "up", up, target),
    await go(scratch, "down", down, base),
  ];
  return { isProven: stretches.every((each) => each.expected === each.reached), stretches };
}

/**
 * As {@link proveMigration}, on the part of the schemas that the migration can touch: making a thousand tables to try one
 * takes longer than the migration. Where that part does not do, the whole is tried, and that is the answer.
 */
export async function proveTouched(database: SchemaDatabase, way: Way): Promise<MigrationProof> {
  if (database.dialect === "sqlite") return proveMigration(database, way);
  const { base, target, up, down } = managed(way);
  const part = await withPauses(findingTouchedPart({ base, target }));
  if (part.base.objects.length === base.objects.length) return proveMigration(database, way);
  try {
    const proof = await proveMigration(database, { ...part, up, down });
    if (proof.isProven) return proof;
  } catch (error) {
    if (AppError.from(error).code !== "INVALID_ARGUMENT") throw error;
  }
  return proveMigration(database, way);
}

/** What no migration makes cannot be tried, and stays as it is; or goes, as an invalid index does. */
function managed({ base, target, ...ways }: Way): Way {
  const [from, to] = [base, target].map((each) => withoutInvalidIndexes(withoutUnmanaged(each)));
  return { base: from ?? base, target: to ?? target, ...ways };
}

async function go(
  scratch: ScratchDatabase,
  name: Stretch["name"],
  script: Script,
  wanted: Schema,
): Promise<Stretch> {
  await scratch.run(script);
  const found = identify(await scratch.introspect(), wanted);
  const expected = rootOf(wanted);
  if (isSameSchema(found, wanted)) return { name, expected, reached: expected, missing: [] };
  return { name, expected, reached: rootOf(found), missing: diffSchemas(found, wanted) };
}
