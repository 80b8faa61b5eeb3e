import type { Hash } from "../state/index.js";
import { withoutInvalidIndexes } from "./postgres/invalid-indexes.js";
import { lint } from "./lint.js";
import type { Finding } from "./lint/finding.js";
import type { Script } from "./ports.js";
import { rootOf } from "./root.js";
import type { Schema } from "./schema.js";
import { diffSchemas, type Operation } from "./schema-diff.js";
import { scriptBetween } from "./script.js";
import { locksOf, type ScriptLock } from "./script-locks.js";

/** What leads from one schema to another, and back. */
export interface SchemaChange {
  readonly baseRoot: Hash;
  readonly targetRoot: Hash;
  readonly operations: readonly Operation[];
  readonly findings: readonly Finding[];
  readonly downFindings: readonly Finding[];
  /** Empty when the schemas are the same. */
  readonly up: Script;
  readonly down: Script;
  /** The locks of both; migrations that were kept before there was this say none. */
  readonly upLocks?: readonly ScriptLock[];
  readonly downLocks?: readonly ScriptLock[];
}

/** Works out the change between two schemas of one engine. */
export function changeBetween(base: Schema, target: Schema): SchemaChange {
  const up = scriptBetween(base, target);
  const down = scriptBetween(target, base);
  return {
    baseRoot: rootOf(base),
    targetRoot: rootOf(target),
    operations: diffSchemas(base, target),
    findings: lint(base, target, up),
    downFindings: lint(target, withoutInvalidIndexes(base), down),
    up,
    down,
    upLocks: locksOf(base, target, up),
    downLocks: locksOf(target, base, down),
  };
}
