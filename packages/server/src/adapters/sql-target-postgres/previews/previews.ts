import { DatabaseError } from "pg";
import { PREVIEW_LENGTH_MAX, PREVIEW_LOCK_MS_MAX, PREVIEW_ROWS_MAX } from "../../limits.js";
import {
  StatementError,
  type StatementPreview,
  type StatementToPreview,
} from "../../../plans/ports.js";
import type { KnownStatement } from "../../sql-target/admission.js";
import { ChangeSample, rowObject } from "../../sql-target/change-sample.js";
import { limitsOf, requireFewRows } from "../../sql-target/statement-limits.js";
import { changedRows } from "../changed-rows.js";
import { cellJson } from "../cell-json.js";
import { PORTAL, type PortalResult, type TextRow } from "../portal-query.js";
import { quotedName } from "../quoted-name.js";
import type { Session } from "../session.js";
import type { StatementRunner } from "../statement-runner.js";
import type { Descriptions } from "../touched/descriptions.js";
import { beginCommands, enterCommands, textOf } from "../transaction.js";
import type { TypeCatalog } from "../type-catalog.js";
import { changedTable, type ChangedTable, whyNotPreviewed } from "./changed-table.js";
import {
  COUNT_EACH_TEXT,
  type CountedTables,
  countsIn,
  sumOf,
  unreturnedRows,
} from "./counted-tables.js";
import { requireUndone } from "./lasting-calls.js";
import { returningChanges, type ReturningStatement } from "./returned-changes.js";
import { readTableFacts, type TableFacts } from "./table-facts.js";

/** What runs and describes the previewed statements. */
interface PreviewParts {
  readonly runner: StatementRunner;
  readonly descriptions: Descriptions;
  readonly types: TypeCatalog;
}

/** For whom a preview runs, and until when. */
interface PreviewOwner {
  readonly orgId: string;
  readonly timeoutMs: number;
  /** The role of its organization; undefined: the login role. */
  readonly role: string | undefined;
}

/** A statement to preview, and how its transaction begins. */
interface AskedPreview {
  readonly asked: StatementToPreview;
  /**
   * Begins the transaction, again if it is open. It looks as that of a run, with the same savepoint, so that the
   * statement cannot tell that it is previewed.
   * @returns what the session had counted before.
   */
  readonly begin: () => Promise<CountedTables>;
}

/** A statement, the table that it changes, and a form of it that returns the changed rows. */
interface PreviewedWrite extends AskedPreview {
  readonly statement: KnownStatement;
  readonly changed: ChangedTable;
  readonly facts: TableFacts;
  readonly returning: ReturningStatement;
}

/** Enough rows for a sample. */
const SAMPLE_LIMITS = { rows: PREVIEW_ROWS_MAX, textBytes: 16 * PREVIEW_LENGTH_MAX };

/**
 * Classes of SQLSTATEs that a RETURNING of all changed rows may cause: the role may not read a
 * column, or the table has rules.
 */
const MAY_BE_OF_RETURNING = /^(?:42|0A)/;

/**
 * Runs writes in transactions that are never committed. The statement is extended by a RETURNING, which
 * is checked as a part of it: no other statement can follow.
 */
export class Previews {
  readonly #runner: StatementRunner;
  readonly #descriptions: Descriptions;
  readonly #types: TypeCatalog;
  readonly #rowsMax: number;
  readonly #version: number | undefined;

  /**
   * @param rowsMax rows that one write may change.
   * @param version the version of the server whose SQL is used; absent: the server's own.
   */
  constructor({ runner, descriptions, types }: PreviewParts, rowsMax: number, version?: number) {
    this.#runner = runner;
    this.#descriptions = descriptions;
    this.#types = types;
    this.#rowsMax = rowsMax;
    this.#version = version;
  }

  /**
   * Leaves the transaction open, for the caller to roll it back.
   * @throws StatementError, or errors of the server.
   */
  async run(
    session: Session,
    asked: StatementToPreview,
    statement: KnownStatement,
    { orgId, timeoutMs, role }: PreviewOwner,
  ): Promise<StatementPreview> {
    const changed = changedTable(asked.sql);
    if (changed === undefined) throw notPreviewed(asked.sql);
    const owner = { orgId, timeoutMs, lockMs: PREVIEW_LOCK_MS_MAX };
    const start =
      textOf(beginCommands("READ WRITE", owner)) +
      COUNT_EACH_TEXT +
      textOf(enterCommands(role, asked.binds));
    const begin = async (): Promise<CountedTables> => {
      if (session.isInTransaction) await session.command("ROLLBACK");
      return countsIn((await session.commandResults(start)).flat());
    };
    const preview = { asked, begin };
    const before = await begin();
    await requireUndone(session, await this.#descriptions.callsOf(session, asked));
    const facts = await readTableFacts(session, changed.table, asked.tables);
    if (facts === undefined) return this.#count(session, preview, statement);
    const returning = returningChanges(changed, facts, this.#version);
    if (returning === undefined) return this.#count(session, preview, statement);
    const write: PreviewedWrite = { ...preview, statement, changed, facts, returning };
    const result = await this.#tryReturning(session, write);
    if (result === undefined) return this.#count(session, preview, statement);
    // A statement with RETURNING has run to its end, so the remaining rows are only counted.
    const unseen = result.isComplete ? 0 : await session.command(`MOVE FORWARD ALL IN ${PORTAL}`);
    const rowsChanged = await this.#settle(session, asked, before);
    const returned = result.rowsSeen + unseen;
    const unreturned = await unreturnedRows(session, { asked, facts, returned, before });
    await this.#types.learn(result.columns?.map(({ type }) => type) ?? [], session);
    const { changes, isCut } = await this.#sample(session, write, result);
    const isAll = returned <= changes.length && unreturned.length === 0;
    const notes = [...missingEarlierRows(write), ...unreturned];
    return { rowsChanged, changes, isCut: isCut || !isAll, notes };
  }

  /** @returns undefined when the statement cannot return the rows that it changes. */
  async #tryReturning(
    session: Session,
    { asked, statement, returning }: PreviewedWrite,
  ): Promise<PortalResult | undefined> {
    const { binds, intent, caller } = asked;
    try {
      const request = { sql: returning.sql, binds, intent, caller };
      return await this.#runner.fetch(session, request, statement, SAMPLE_LIMITS);
    } catch (error) {
      if (!(error instanceof DatabaseError) || !MAY_BE_OF_RETURNING.test(error.code ?? "")) {
        throw error;
      }
      return undefined;
    }
  }

  /** Runs the statement as it is, and only counts. */
  async #count(
    session: Session,
    { asked, begin }: AskedPreview,
    statement: KnownStatement,
  ): Promise<StatementPreview> {
    const before = await begin();
    const result = await this.#runner.fetch(session, asked, statement, SAMPLE_LIMITS);
    // A function in a SELECT runs only for the rows that are read.
    if (!result.isComplete) await session.command(`MOVE FORWARD ALL IN ${PORTAL}`);
    const rowsChanged = await this.#settle(session, asked, before);
    const notes = ["The changed rows cannot be shown: the database does not return them"];
    return { rowsChanged, changes: [], isCut: rowsChanged > 0, notes };
  }

  /** Applies the checks that follow a statement in a run. @returns the number of changed rows. */
  async #settle(
    session: Session,
    asked: StatementToPreview,
    before: CountedTables,
  ): Promise<number> {
    const changed = await changedRows(session, sumOf(before));
    requireFewRows(changed, { ...limitsOf({}, asked), rowsMax: this.#rowsMax });
    return changed.rows;
  }

  async #sample(
    session: Session,
    write: PreviewedWrite,
    { rows, columns = [] }: PortalResult,
  ): Promise<Pick<StatementPreview, "changes" | "isCut">> {
    const { facts, returning, changed } = write;
    const { name: table, columns: shown } = facts;
    const sample = new ChangeSample();
    const rowFrom = (row: TextRow, start: number): string => {
      const cells = row.slice(start, start + shown.length);
      const json = cells.map((cell, index) =>
        cellJson(cell, columns[start + index]?.type ?? 0, this.#types),
      );
      return rowObject(shown, json);
    };
    if (returning.returns === "old_and_new") {
      for (const row of rows) {
        const before = row[0] === "t" ? rowFrom(row, 2) : undefined;
        const after = row[1] === "t" ? rowFrom(row, 2 + shown.length) : undefined;
        sample.add({ table, ...(before && { before }), ...(after && { after }) });
      }
      return sample.finish();
    }
    if (changed.verb === "DELETE") {
      for (const row of rows) sample.add({ table, before: rowFrom(row, 1) });
      return sample.finish();
    }
    await write.begin();
    for (const row of rows) {
      if (sample.isFull) break;
      const earlier = await earlierRow(session, write, row.slice(1 + shown.length));
      const before = earlier && rowFrom(["t", ...earlier], 1);
      sample.add({ table, ...(before && { before }), after: rowFrom(row, 1) });
    }
    return sample.finish();
  }
}

/** The row with this key as it is without the statement; undefined: there is none. */
async function earlierRow(
  session: Session,
  { changed, facts: { key, columns } }: PreviewedWrite,
  values: readonly (string | null)[],
): Promise<TextRow | undefined> {
  if (key.length === 0) return undefined;
  const list = columns.map((column) => quotedName([column])).join(", ");
  const where = key.map((column, index) => `${quotedName([column])} = $${index + 1}`).join(" AND ");
  const sql = `SELECT ${list} FROM ${changed.table} WHERE ${where}`;
  const types = values.map(() => 0);
  const { rows } = await session.run(sql, values, types, { ...SAMPLE_LIMITS, rows: 1 });
  await session.command(`CLOSE ${PORTAL}`);
  return rows[0];
}

function missingEarlierRows({ changed, facts, returning }: PreviewedWrite): readonly string[] {
  const isKnown = changed.verb === "DELETE" || facts.key.length > 0;
  if (returning.returns === "old_and_new" || isKnown) return [];
  return [
    `Rows as they were before cannot be shown: ${facts.name} has no primary key, and PostgreSQL returns old rows from version 18 on`,
  ];
}

function notPreviewed(sql: string): StatementError {
  const message = `The statement cannot be previewed: ${whyNotPreviewed(sql)}`;
  return new StatementError("statement", message);
}
