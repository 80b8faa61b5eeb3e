import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import type { Hash } from "@steward/state";
import { withoutInvalidIndexes } from "../postgres/objects/invalid-indexes.js";
import { linting } from "../lint/lint.js";
import type { Finding } from "../lint/finding.js";
import type { Script, ScriptText } from "../ports.js";
import { rootsOf } from "../model/root.js";
import type { Schema } from "../model/schema.js";
import { diffSchemas, type Operation } from "../model/schema-diff.js";
import { planning } from "../scripts/script.js";
import type { ScriptLock } from "../scripts/script-locks.js";

/** The scripts between two schemas, in both directions. */
export interface SchemaChange {
  readonly baseRoot: Hash;
  readonly targetRoot: Hash;
  readonly operations: readonly Operation[];
  readonly findings: readonly Finding[];
  readonly downFindings: readonly Finding[];
  /** Empty when the schemas are equal. */
  readonly up: ScriptText;
  readonly down: ScriptText;
  /** The locks of both scripts in migrations stored by earlier versions, which have no commands. */
  readonly upLocks?: readonly ScriptLock[];
  readonly downLocks?: readonly ScriptLock[];
}

/**
 * Plans the change between two schemas of one engine. Pauses regularly, because each part takes
 * long for many tables.
 */
export function* changeBetween(base: Schema, target: Schema): Pausing<SchemaChange> {
  const { baseRoot, targetRoot } = yield* rootsOf(base, target);
  yield;
  const { script: up, findings } = yield* planRun(base, target);
  yield;
  const down = yield* planning(target, base);
  yield;
  const downFindings = yield* linting(target, withoutInvalidIndexes(base), down);
  yield;
  const operations = diffSchemas(base, target);
  return { baseRoot, targetRoot, operations, findings, downFindings, up, down };
}

/** The script of one direction, with its findings. */
export interface PlannedRun {
  readonly script: Script;
  readonly findings: readonly Finding[];
}

/** Plans one direction of a change; see {@link changeBetween}. */
export function* planRun(from: Schema, to: Schema): Pausing<PlannedRun> {
  const script = yield* planning(from, to);
  yield;
  return { script, findings: yield* linting(from, to, script) };
}
