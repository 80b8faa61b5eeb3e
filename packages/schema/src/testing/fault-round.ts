import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { AppError } from "@steward/kernel/errors.js";
import { type Migration, schemasOf } from "../index.js";
import type { FaultyEnd, FaultPlace } from "./fault-place.js";
import type { FaultSchemas } from "./fault-schemas.js";
import { type Attempt, readValues, refuseLosses, sideOf } from "./own-values.js";
import { isTheirs, SecondWriter } from "./second-writer.js";

/** Error codes whose messages name a way out. */
const REFUSALS: readonly string[] = ["STATE_CONFLICT", "STEP_FAILED", "APPROVAL_REQUIRED"];

export interface RoundResult {
  /** `unchanged`: there was nothing to migrate. */
  readonly end: "died" | "refused" | "done" | "unchanged";
  /** Whether the migration ended before the statement at which the process was to be killed. */
  readonly isThrough: boolean;
}

/** The parameters of a round. */
export interface FaultRound {
  readonly schemas: FaultSchemas;
  /** The process is killed before it sends this statement to the engine, counted from 0. */
  readonly statement: number;
  readonly random: () => number;
}

/**
 * One round: migrates between two schemas while another session writes, injects a fault, and kills
 * the process at a statement. Then it follows the commands named by the errors until the database
 * has the wanted schema.
 * @throws Error naming what was lost or changed, or what cannot be continued.
 */
export async function runFaultRound(place: FaultPlace, round: FaultRound): Promise<RoundResult> {
  const others = new SecondWriter(place.query);
  await place.query(`${round.schemas.base}; ${round.schemas.rows}`);
  await others.makeTable();
  const participants = { place, round, others };
  const migration = await proposeWanted(participants, round.schemas.wanted);
  if (migration === undefined) return { end: "unchanged", isThrough: true };
  const isLossAccepted = round.random() < 0.7;
  const attempt = await attemptAt(place, migration, isLossAccepted);
  const trouble = TROUBLES[Math.floor(round.random() * TROUBLES.length)] ?? "none";
  const end = await applyIn(trouble, participants, attempt);
  await refuseDamage(participants, attempt);
  await others.makeTable();
  await goOn(participants, attempt);
  if (end === "died") return { end, isThrough: false };
  const isThrough = trouble === "none" && isLossAccepted;
  return { end: end instanceof AppError ? "refused" : "done", isThrough };
}

/** A fault in addition to the killed process. */
type Trouble = "none" | "changed table" | "new table" | "bad rows" | "lock";

/** Drawn with equal probability; most rounds have no additional fault. */
const TROUBLES: readonly Trouble[] = [
  ...(["changed table", "new table", "bad rows", "lock"] as const),
  ...Array.from({ length: 7 }, () => "none" as const),
];

interface Participants {
  readonly place: FaultPlace;
  readonly round: FaultRound;
  readonly others: SecondWriter;
}

/** @returns undefined when the database has the wanted schema already. */
async function proposeWanted(
  { place: { service }, others }: Participants,
  wanted: string,
): Promise<Migration | undefined> {
  const sql = [wanted, ...others.definitions].join(";\n");
  const found = await service.propose(ADMIN, { database: "shop", sql, message: "random" });
  return found.status === "unchanged" ? undefined : found;
}

async function attemptAt(
  place: FaultPlace,
  migration: Migration,
  isLossAccepted: boolean,
): Promise<Attempt> {
  const before = await readValues(place, schemasOf(migration).base);
  return { migration, before, isLossAccepted };
}

async function applyIn(
  trouble: Trouble,
  participants: Participants,
  attempt: Attempt,
): Promise<FaultyEnd> {
  const { place, round, others } = participants;
  const { random, schemas } = round;
  const { table } = schemas;
  switch (trouble) {
    case "lock": {
      await using _lock = await place.hold(table, random);
      return await apply(participants, attempt, false);
    }
    case "changed table":
      await others.addColumn(table);
      break;
    case "new table":
      await others.makeTable();
      break;
    case "bad rows": {
      const rows = "(901, 'dup'), (902, 'dup'), (903, NULL)";
      await place.query(`INSERT INTO ${table} (id, code) VALUES ${rows}`);
      break;
    }
    case "none":
  }
  return await apply(participants, attempt, random() < 0.5);
}

/** @param isWatched whether the other session creates a table while the migration runs. */
async function apply(
  { place, round: { statement }, others }: Participants,
  { migration: { id }, isLossAccepted }: Attempt,
  isWatched: boolean,
): Promise<FaultyEnd> {
  const order = { id, acceptDataLoss: isLossAccepted, statement, isSlow: isWatched };
  const run = place.apply(order);
  if (isWatched) {
    await run.begun;
    await others.makeTable();
  }
  return await run.ended;
}

/**
 * Verifies that no object of others was changed, no value was lost without acceptance, and the
 * state can be continued from.
 */
async function refuseDamage({ place, others }: Participants, attempt: Attempt): Promise<void> {
  const { id } = attempt.migration;
  await place.check();
  await others.check();
  const side = await sideOf(place, attempt.migration);
  if (side === "between" && (await place.service.unfinishedRun(ADMIN, id)) === undefined) {
    throw new Error("the schema is neither that of before nor that of after");
  }
  const { status } = await place.service.show(ADMIN, id);
  if (status === "applied" && side !== "target") throw new Error("recorded, and not done");
  await refuseLosses(place, attempt, side);
}

/** Follows the commands named by the errors until the database has the wanted schema. */
async function goOn(participants: Participants, begun: Attempt): Promise<void> {
  const { place, others, round } = participants;
  const settled = await settleUnfinished(participants, begun.migration.id);
  const attempt = { ...begun, isUndone: settled === "undone" };
  await refuseDamage(participants, attempt);
  await others.dropColumn();
  await applyByLiving(participants, attempt);
  await refuseDamage(participants, attempt);
  await removeTroublemakers(participants, attempt.migration);
  await settleUnfinished(participants, attempt.migration.id);
  await place.service.acceptDrift(ADMIN, { database: "shop", message: "others' tables" });
  // A hint that has taken effect is refused, because its old name no longer exists.
  const unhinted = round.schemas.wanted.replace(/\/\*.*?\*\//g, "");
  const isThere = (await sideOf(place, attempt.migration)) === "target";
  const rest = await proposeWanted(participants, isThere ? unhinted : round.schemas.wanted);
  if (rest !== undefined) await applyRest(participants, rest);
  await place.check();
  await others.check();
  if (rest !== undefined && (await sideOf(place, rest)) !== "target") {
    throw new Error("the wanted schema was not reached");
  }
}

/** Resumes or undoes an interrupted run. */
async function settleUnfinished(
  participants: Participants,
  id: string,
): Promise<"undone" | undefined> {
  const { place, round } = participants;
  const unfinished = await place.service.unfinishedRun(ADMIN, id);
  if (unfinished === undefined) return undefined;
  const accepted = { acceptDataLoss: true };
  if (round.random() < 0.5 && unfinished.purpose === "migrate") {
    await place.service.undo(ADMIN, id, accepted);
    return "undone";
  }
  await removeTroublemakers(participants, await place.service.show(ADMIN, id));
  const refusal = await refusalOf(() => place.service.resume(ADMIN, id, accepted));
  if (refusal === undefined) return unfinished.purpose === "undo" ? "undone" : undefined;
  // Rows that violate a new constraint are the owner's to change. The other way out that the error
  // names is undo.
  if (refusal.code !== "STEP_FAILED" || unfinished.purpose === "undo") throw refusal;
  await place.service.undo(ADMIN, id, accepted);
  return "undone";
}

/** Deletes the rows that were added to violate a constraint. */
async function removeTroublemakers(
  { place, round: { schemas } }: Participants,
  migration: Migration,
): Promise<void> {
  const side = await sideOf(place, migration);
  const { base, target } = schemasOf(migration);
  const before = base.all("Table").find(({ name }) => name === schemas.table);
  const now = side === "base" ? before : target.find(before?.id);
  if (now !== undefined) await place.query(`DELETE FROM ${now.name ?? ""} WHERE id > 900`);
}

/**
 * Applies the migration in this process.
 * @returns the error that refused it.
 */
async function applyByLiving(
  { place: { service } }: Participants,
  { migration: { id }, isLossAccepted }: Attempt,
): Promise<AppError | undefined> {
  return await refusalOf(() => service.apply(ADMIN, id, { acceptDataLoss: isLossAccepted }));
}

/**
 * @returns the error.
 * @throws every error that names no way out.
 */
async function refusalOf(attempt: () => Promise<unknown>): Promise<AppError | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && REFUSALS.includes(error.code)) return error;
    throw error;
  }
}

/**
 * Applies the rest of the migration. When rows violate the new schema, their owner deletes them.
 */
async function applyRest(participants: Participants, migration: Migration): Promise<void> {
  const { place } = participants;
  const attempt = await attemptAt(place, migration, true);
  const refusal = await applyByLiving(participants, attempt);
  await refuseDamage(participants, attempt);
  if (refusal === undefined) return;
  if (refusal.code !== "STEP_FAILED") throw refusal;
  const { base } = schemasOf(migration);
  for (const table of base.all("Table").map((each) => base.pathOf(each))) {
    if (!isTheirs(table)) await place.query(`DELETE FROM ${table}`);
  }
  await settleUnfinished(participants, migration.id);
  await place.service.apply(ADMIN, migration.id, { acceptDataLoss: true });
}
