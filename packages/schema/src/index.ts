/**
 * Schema: database schemas as RDF statements about objects with a stable identity, and migrations
 * whose correctness is proven by comparing roots.
 *
 * Glossary. **Object**: anything with an identity of its own, such as a table, a column or an
 * index. **Schema**: all objects of a database. **Draft**: a schema as introspected, before its
 * objects are identified. **Root**: the hash of a schema's statements. **Layout**: data stored
 * beside a schema that is not part of its meaning, such as column positions. **Operation**: the
 * creation, change, rename or drop of one object. **Script**: the SQL statements that lead from one
 * schema to another. **Command**: what one statement of a script does, with its object and its locks,
 * as data. **Scratch database**: an empty database in which scripts are tried. **Drift**:
 * the difference between a database and its recorded schema. **Hint**: a declaration that an object
 * was renamed.
 */
export { ownDatabaseKey } from "./tracking/bound-databases.js";
export { type MigrationEffect, migrationEffects } from "./changes/migration-effects.js";
export type { MayDefineCode } from "./changes/code-objects.js";
export type { MayMigrate } from "./migrations/migration-runs.js";
export { renameHints } from "./wanted/definitions.js";
export type { Drift } from "./migrations/drift.js";
export { identify, type RenameHint } from "./model/identify.js";
export { KnownSchemas } from "./tracking/known-schemas.js";
export type { Finding, FindingCode } from "./lint/finding.js";
export { type Command, LOCK_MODES, type LockMode, type TableLock } from "./model/commands.js";
export {
  type Migration,
  type MigrationStatus,
  runOfStep,
  schemasOf,
} from "./migrations/migration.js";
export { isMigrationDigest, migrationDigest } from "./migrations/migration-digest.js";
export type { RunOptions } from "./migrations/migration-runs.js";
export { MigrationService, type SchemaDump } from "./migrations/migration-service.js";
export type { PlanStep } from "./migrations/recorded-migrations.js";
export type {
  Checks,
  MigrationWaits,
  Phase,
  RunIdentity,
  RunOrder,
  RunOutcome,
  SchemaDatabase,
  ScratchDatabase,
  Script,
  ScriptText,
  UnfinishedRun,
} from "./ports.js";
export type { MigrationProof, Stretch } from "./migrations/proof.js";
export type { Proposal, Unchanged } from "./migrations/proposal.js";
export { quadsOf, schemaOf } from "./model/quads.js";
export { RelatedTables } from "./tracking/related-tables.js";
export {
  type Relation,
  type RelationColumn,
  type RelationKey,
  relationsOf,
} from "./changes/relations.js";
export { rootOf } from "./model/root.js";
export { type Dialect, Schema, type SchemaObject } from "./model/schema.js";
export type { SchemaChange } from "./migrations/schema-change.js";
export type { Change, Operation } from "./model/schema-diff.js";
export { type RowQuestion, rowsWouldChange, stepsOf } from "./model/row-check.js";
export { scriptBetween, scriptFor } from "./scripts/script.js";
export { effectOf, type ScriptLock, scriptLocks } from "./scripts/script-locks.js";
export { digestOf, isConcurrentDrop, type Unit, unitsOf } from "./scripts/script-units.js";
export { unfinishedError } from "./migrations/unfinished-run.js";
export { SchemaHistory } from "./tracking/schema-history.js";
export { StepRecorder } from "./tracking/step-recorder.js";
export { tableDeltas } from "./changes/table-deltas.js";
export { NATIVE_LANGUAGES, type RoutineText, routineText } from "./sql/routine-text.js";
export { dumpSchema } from "./wanted/dump-schema.js";
export type { Definition, Definitions, SqlFile, WantedSql } from "./wanted/read-definitions.js";
export { readDefinitions } from "./wanted/read-definitions.js";
export { shown } from "./wanted/statement-reader.js";
export { shapesTurtle, vocabularyTurtle } from "./model/vocabulary-turtle.js";
