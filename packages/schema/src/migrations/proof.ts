import { AppError } from "@steward/kernel/errors.js";
import { withPauses } from "@steward/kernel/concurrency/pausing.js";
import type { Hash } from "@steward/state";
import { identify } from "../model/identify.js";
import type { SchemaDatabase, ScratchDatabase, ScriptText } from "../ports.js";
import { rootOf } from "../model/root.js";
import type { Schema } from "../model/schema.js";
import { withoutInvalidIndexes } from "../postgres/objects/invalid-indexes.js";
import { withoutUnmanaged } from "../postgres/objects/unmanaged.js";
import { diffSchemas, isSameSchema, type Operation } from "../model/schema-diff.js";
import { scriptFor } from "../scripts/script.js";
import { findingTouchedPart } from "../changes/touched-part.js";

/** The scripts to prove, in both directions, and the schemas between which they lead. */
export interface Way {
  readonly base: Schema;
  readonly target: Schema;
  readonly up: ScriptText;
  readonly down: ScriptText;
}

/** One script of a proof: the schema that it should lead to, and the schema that it led to. */
export interface Stretch {
  readonly name: "base" | "up" | "down";
  readonly expected: Hash;
  readonly reached: Hash;
  /** Operations that are still missing; empty when the roots are equal. */
  readonly missing: readonly Operation[];
}

/** Result of running a migration in a scratch database. */
export interface MigrationProof {
  readonly isProven: boolean;
  readonly stretches: readonly Stretch[];
}

/**
 * Proves a migration before it is used: creates the base schema in a scratch database, runs the
 * migration up, and runs it down again. The migration is proven when the roots read after each
 * script equal the roots of base, target and base.
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
 * Like {@link proveMigration}, but only for the part of the schemas that the migration can touch,
 * because creating a thousand tables takes longer than the migration. When the proof of that part
 * fails, the whole schemas are proven instead, and that result counts.
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

/**
 * The schemas without unmanaged objects, which migrations cannot create in a scratch database and
 * do not change. Invalid indexes are removed too.
 */
function managed({ base, target, ...ways }: Way): Way {
  const [from, to] = [base, target].map((each) => withoutInvalidIndexes(withoutUnmanaged(each)));
  return { base: from ?? base, target: to ?? target, ...ways };
}

async function go(
  scratch: ScratchDatabase,
  name: Stretch["name"],
  script: ScriptText,
  wanted: Schema,
): Promise<Stretch> {
  await scratch.run(script);
  const found = identify(await scratch.introspect(), wanted);
  const expected = rootOf(wanted);
  if (isSameSchema(found, wanted)) return { name, expected, reached: expected, missing: [] };
  return { name, expected, reached: rootOf(found), missing: diffSchemas(found, wanted) };
}
