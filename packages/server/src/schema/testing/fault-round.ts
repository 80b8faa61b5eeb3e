import { ADMIN } from "../../kernel/testing/nobody.js";
import { AppError } from "../../kernel/errors.js";
import { type Migration, schemasOf } from "../index.js";
import type { FaultyEnd, FaultPlace } from "./fault-place.js";
import type { FaultSchemas } from "./fault-schemas.js";
import { type Attempt, readValues, refuseLosses, sideOf } from "./own-values.js";
import { isTheirs, SecondWriter } from "./second-writer.js";

/** Refusals that name a way out. */
const REFUSALS: readonly string[] = ["STATE_CONFLICT", "STEP_FAILED", "APPROVAL_REQUIRED"];

/** How the migration of a round ended. */
export interface RoundResult {
  /** `unchanged`: there was none. */
  readonly end: "died" | "refused" | "done" | "unchanged";
  /** Whether it did not come to the statement that it was to die at, nor would to any later one. */
  readonly isThrough: boolean;
}

/** What a round is about. */
export interface FaultRound {
  readonly schemas: FaultSchemas;
  /** From 0: the process dies before the engine has seen this statement of it. */
  readonly statement: number;
  readonly random: () => number;
}

/**
 * Migrates one schema to another while a second writer works, lets things go wrong, has the process die at a
 * statement, and goes on to the wanted schema by the commands that the errors name.
 * @throws Error naming what was lost or touched, or what does not go on.
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

/** What goes wrong beside the death of the process. */
type Trouble = "none" | "changed table" | "new table" | "bad rows" | "lock";

/** Each as likely as the others: in most rounds nothing else goes wrong. */
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

/** @param isWatched whether the second writer makes a table once the migration is under way. */
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

/** Nothing of others is touched, no value of one's own lost, and the state is one that can be gone on from. */
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

/** Gives the commands that the errors name, until the database has the wanted schema. */
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
  await place.service.acceptDrift(ADMIN, "shop", "others' tables");
  // A hint that has been carried out is refused: there is nothing of the old name any more.
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

/** Goes on with a run that stopped half way, or takes it back. */
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
  // Rows that break a new constraint are the owner's to change; the other way out that the error names is to undo.
  if (refusal.code !== "STEP_FAILED" || unfinished.purpose === "undo") throw refusal;
  await place.service.undo(ADMIN, id, accepted);
  return "undone";
}

/** The rows that were added to break something go again. */
async function removeTroublemakers(
  { place, round: { schemas } }: Participants,
  migration: Migration,
): Promise<void> {
  const side = await sideOf(place, migration);
  const { base, target } = schemasOf(migration);
  const before = base.all("Table").find(({ name }) => name === schemas.table);
  const now = side === "base" ? before : target.find(before?.id ?? "");
  if (now !== undefined) await place.query(`DELETE FROM ${now.name ?? ""} WHERE id > 900`);
}

/** Applies in this process, which nothing ends. @returns why it was refused. */
async function applyByLiving(
  { place: { service } }: Participants,
  { migration: { id }, isLossAccepted }: Attempt,
): Promise<AppError | undefined> {
  return await refusalOf(() => service.apply(ADMIN, id, { acceptDataLoss: isLossAccepted }));
}

/** @returns why it was refused. @throws every error that names no way out. */
async function refusalOf(attempt: () => Promise<unknown>): Promise<AppError | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && REFUSALS.includes(error.code)) return error;
    throw error;
  }
}

/** Applies what is still to do; where the rows do not allow it, their owner removes them. */
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
