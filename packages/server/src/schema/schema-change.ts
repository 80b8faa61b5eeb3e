import type { Hash, Pausing } from "../state/index.js";
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

/** Works out the change between two schemas of one engine, of which each part takes long where there are many tables. */
export function* changeBetween(base: Schema, target: Schema): Pausing<SchemaChange> {
  const up = scriptBetween(base, target);
  yield;
  const down = scriptBetween(target, base);
  yield;
  const baseRoot = rootOf(base);
  yield;
  const targetRoot = rootOf(target);
  yield;
  const findings = lint(base, target, up);
  yield;
  const downFindings = lint(target, withoutInvalidIndexes(base), down);
  yield;
  const upLocks = locksOf(base, target, up);
  yield;
  const downLocks = locksOf(target, base, down);
  const operations = diffSchemas(base, target);
  return { baseRoot, targetRoot, operations, findings, downFindings, up, down, upLocks, downLocks };
}
