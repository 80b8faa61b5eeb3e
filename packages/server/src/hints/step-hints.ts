import { setImmediate as nextTurn } from "node:timers/promises";
import { TurnBudget } from "@steward/kernel/concurrency/turn-budget.js";
import type { CatalogRows, CatalogSchemas } from "../catalog/ports.js";
import type {
  AdvisedFailure,
  AdvisedStatement,
  StatementError,
  StatementResult,
  StepAdvisor,
} from "../plans/ports.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { Log } from "@steward/kernel/log.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { Correction, FailedStatement, ReadStatement } from "./correction.js";
import { correctionsOf } from "./failure-corrections.js";
import { faultOf } from "./fault.js";
import { OtherSources } from "./other-sources.js";
import { missingConditions } from "./failures/missing-condition.js";
import { HeldValues } from "./held-values.js";
import {
  HINT_COLUMNS_READ_MAX,
  HINT_CORRECTIONS_MAX,
  HINTED_FAILURE_LENGTH_MAX,
  HINTED_FAILURE_WORDS_MAX,
  HINTED_LENGTH_MAX,
  HINTED_STATEMENTS_MAX,
  HINTS_TURN_MS,
} from "./limits.js";
import { maskedMessage, namesIn } from "./masked-message.js";
import { withCorrections, withoutNames } from "./merge.js";
import { constraintIn } from "./named-constraint.js";
import { permittedColumns } from "./permitted-columns.js";
import { HintSchemas } from "./schema/hint-schemas.js";
import type { KnownTables } from "./schema/known-tables.js";
import { schemaWarnings } from "./schema-warnings.js";
import { scopesOf } from "./statement/scope.js";
import { VisibleNames } from "./visible-names.js";
import { pageOf } from "./warnings/cut-result.js";
import { notInNulls } from "./warnings/silent/not-in-null.js";
import { misordered, type OrderedText, orderedTexts } from "./warnings/silent/ordered-text.js";
import { type ComparedText, comparedTexts, unheld } from "./warnings/unheld-literal.js";

export interface StepHintsParts {
  readonly schemas: CatalogSchemas;
  readonly rows: CatalogRows;
  /** Names of the data sources that are open to a caller. */
  readonly openSources: (caller: Caller) => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Warnings about one statement that follow from the schema. */
interface Remembered {
  readonly warnings: readonly Correction[];
  readonly texts: readonly ComparedText[];
  /** Warnings that hold only where nothing was found. */
  readonly ifEmpty: readonly Correction[];
  readonly ordered: readonly OrderedText[];
}

/**
 * The hints of steps. After a result it only looks into memory, unless the statement or its result
 * is suspicious.
 */
export class StepHints implements StepAdvisor {
  readonly #schemas: HintSchemas;
  readonly #visible: VisibleNames;
  readonly #held: HeldValues;
  readonly #otherSources: OtherSources;
  readonly #log: Log;
  readonly #turn = new TurnBudget(HINTS_TURN_MS);
  /** By version of a schema, and statement. */
  readonly #remembered = new WeakMap<KnownTables, RecentMap<Remembered>>();

  constructor({ schemas, rows, openSources, clock, log }: StepHintsParts) {
    this.#schemas = new HintSchemas(schemas, clock);
    this.#visible = new VisibleNames(rows, clock);
    this.#held = new HeldValues(rows, clock);
    this.#otherSources = new OtherSources(this.#schemas, this.#visible, openSources);
    this.#log = log;
  }

  async afterFailure(asked: AdvisedStatement, failure: StatementError): Promise<AdvisedFailure> {
    const hints = await this.#afterFailure(asked, failure);
    const message = await this.#visibleMessage(asked, failure);
    return { message, hints: hints.map((hint) => hint.replace(failure.message, () => message)) };
  }

  /** The engine's message, without names of columns that the caller may not see. */
  async #visibleMessage(asked: AdvisedStatement, failure: StatementError): Promise<string> {
    const { message } = failure;
    if (!asked.looksAtData) return message;
    try {
      const tables = await this.#schemas.current(asked.caller, asked.dataSource);
      while (!this.#turn.hasRoom) await nextTurn();
      const named = this.#turn.spend(() => namesIn(failure, asked.sql, tables));
      const isSeen = named !== undefined && (await this.#visible.areVisible(asked, named));
      return isSeen ? message : maskedMessage(failure, asked.sql);
    } catch (error) {
      this.#log.debug({ err: error }, "a message is masked, because its names cannot be checked");
      return maskedMessage(failure, asked.sql);
    }
  }

  async #afterFailure(
    asked: AdvisedStatement,
    failure: StatementError,
  ): Promise<readonly string[]> {
    const { message, reason } = failure;
    // The data source's own message may name columns that policies forbid.
    const hints = asked.looksAtData ? withoutNames(failure.hints, message) : failure.hints;
    if (reason !== "statement" && reason !== "timeout") return hints;
    try {
      const corrections = await this.#corrections(asked, failure);
      return withCorrections(hints, message, corrections);
    } catch (error) {
      this.#log.debug({ err: error }, "a failed statement gets no correction");
      return hints;
    }
  }

  afterResult(
    asked: AdvisedStatement,
    result: StatementResult,
  ): readonly string[] | Promise<readonly string[]> {
    if (asked.sql.length > HINTED_LENGTH_MAX) return [];
    if (result.schemaDeltas.length > 0) {
      this.#schemas.forget(asked.caller, asked.dataSource);
      return [];
    }
    const tables = this.#schemas.known(asked.caller, asked.dataSource);
    if (tables === undefined) return this.#firstWarnings(asked, result);
    // Results that arrive together do not share one turn.
    if (!this.#turn.hasRoom) return nextTurn().then(() => this.afterResult(asked, result));
    const { warnings, texts, ifEmpty, ordered } = this.#rememberedOf(asked.sql, tables);
    const isCut = result.rowsKept < result.rowCount;
    const isEmpty = isSuspicious(result);
    const mayTell = isEmpty && texts.length + ifEmpty.length > 0;
    const isOrdered = ordered.some(({ isOnlyIfEmpty }) => isEmpty || !isOnlyIfEmpty);
    if (warnings.length === 0 && !isCut && !mayTell && !isOrdered) return [];
    return this.#warnings(asked, tables, { isCut, isEmpty });
  }

  /** The first statement on a data source waits for its schema, but not for long. */
  async #firstWarnings(
    asked: AdvisedStatement,
    result: StatementResult,
  ): Promise<readonly string[]> {
    const tables = await this.#schemas.soon(asked.caller, asked.dataSource);
    return tables === undefined ? [] : this.afterResult(asked, result);
  }

  async #warnings(
    asked: AdvisedStatement,
    tables: KnownTables,
    { isCut, isEmpty }: { readonly isCut: boolean; readonly isEmpty: boolean },
  ): Promise<readonly string[]> {
    const { warnings, texts, ifEmpty, ordered } = this.#rememberedOf(asked.sql, tables);
    try {
      while (isCut && !this.#turn.hasRoom) await nextTurn();
      const page = isCut ? this.#turn.spend(() => pageOf(readStatement(asked.sql, tables))) : [];
      const unheldTexts = isEmpty ? await this.#unheld(asked, texts) : [];
      const doubtful = ordered.filter(({ isOnlyIfEmpty }) => isEmpty || !isOnlyIfEmpty);
      const found = [
        ...warnings,
        ...unheldTexts,
        ...(await this.#misordered(asked, doubtful)),
        // A value that no row has is the nearer reason.
        ...(isEmpty && unheldTexts.length === 0 ? ifEmpty : []),
      ];
      const named = await this.#visibleOf(asked, [...found, ...page]);
      return named.map(({ sentence }) => sentence);
    } catch (error) {
      this.#log.debug({ err: error }, "a result gets no warning");
      return [];
    }
  }

  /** Texts that the columns they are compared with do not hold. */
  async #unheld(
    asked: AdvisedStatement,
    texts: readonly ComparedText[],
  ): Promise<readonly Correction[]> {
    const found: Correction[] = [];
    for (const compared of texts.slice(0, HINT_COLUMNS_READ_MAX)) {
      const values = await this.#held.of(asked, compared);
      if (values === undefined || values.length === 0 || values.includes(compared.value)) continue;
      found.push(unheld(compared, values));
    }
    return found;
  }

  /** Texts whose order is not that of what they mean. */
  async #misordered(
    asked: AdvisedStatement,
    ordered: readonly OrderedText[],
  ): Promise<readonly Correction[]> {
    const found: Correction[] = [];
    for (const text of ordered.slice(0, HINT_COLUMNS_READ_MAX)) {
      const { table, column } = text;
      if (!(await this.#visible.isVisible(asked, { table, columns: [column] }))) continue;
      const values = await this.#held.range(asked, text);
      if (values !== undefined) found.push(...misordered(text, values));
    }
    return found;
  }

  async #corrections(
    asked: AdvisedStatement,
    failure: StatementError,
  ): Promise<readonly Correction[]> {
    const { sql, caller, dataSource } = asked;
    const fault = faultOf(failure, sql);
    const elsewhere = await this.#otherSources.tableOf(asked, fault);
    if (elsewhere.length > 0) return elsewhere;
    if (!isHintedFailure(sql)) return [];
    const tables = await this.#schemas.current(caller, dataSource);
    if (tables === undefined) return [];
    // Failures that arrive together do not share one turn.
    while (!this.#turn.hasRoom) await nextTurn();
    const read = this.#turn.spend(() => readStatement(sql, tables));
    if (failure.reason === "timeout") {
      const missing = this.#turn.spend(() => missingConditions(read.scopes, tables, "equations"));
      return this.#visibleOf(asked, missing);
    }
    const failed: FailedStatement = { ...read, fault, constraint: constraintIn(failure) };
    const denied = await permittedColumns(failed, (part) => this.#visible.isVisible(asked, part));
    if (denied.length > 0) return denied;
    // The other corrections are alternatives to the first one.
    const found = this.#turn.spend(() => correctionsOf(failed));
    return (await this.#visibleOf(asked, found)).slice(0, 1);
  }

  async #visibleOf(
    asked: AdvisedStatement,
    corrections: readonly Correction[],
  ): Promise<readonly Correction[]> {
    const visible: Correction[] = [];
    for (const correction of corrections) {
      if (visible.length === HINT_CORRECTIONS_MAX) break;
      if (await this.#visible.areVisible(asked, correction.names)) visible.push(correction);
    }
    return visible;
  }

  #rememberedOf(sql: string, tables: KnownTables): Remembered {
    let statements = this.#remembered.get(tables);
    if (statements === undefined) {
      statements = new RecentMap<Remembered>(HINTED_STATEMENTS_MAX);
      this.#remembered.set(tables, statements);
    }
    return statements.getOrMake(sql, () => this.#turn.spend(() => warningsOf(sql, tables)));
  }
}

function warningsOf(sql: string, tables: KnownTables): Remembered {
  const read = readStatement(sql, tables);
  const warnings = schemaWarnings(read);
  // A text that a CHECK excludes already has a warning, so the column's values are not read for it.
  const isSaid = ({ literal }: ComparedText): boolean =>
    warnings.some(({ sentence }) => sentence.includes(`never holds ${literal}`));
  const texts = comparedTexts(read).filter((text) => !isSaid(text));
  return { warnings, texts, ifEmpty: notInNulls(read), ordered: orderedTexts(read) };
}

function readStatement(sql: string, tables: KnownTables): ReadStatement {
  return { sql, tables, scopes: scopesOf(sql, tables) };
}

/** A statement that found nothing: no row, or one row of zeros and NULLs. */
function isSuspicious({ rowCount, outputJson }: StatementResult): boolean {
  if (rowCount === 0) return true;
  return rowCount === 1 && outputJson.length < EMPTY_ROW_LENGTH_MAX && EMPTY_ROW.test(outputJson);
}

const EMPTY_ROW_LENGTH_MAX = 256;
const EMPTY_ROW = /^\[\{"[^"]*":(?:null|"?0(?:\.0+)?"?)(?:,"[^"]*":(?:null|"?0(?:\.0+)?"?))*\}\]$/;

/** Whether hints for a failed statement take no longer than the event loop allows. */
function isHintedFailure(sql: string): boolean {
  if (sql.length > HINTED_FAILURE_LENGTH_MAX) return false;
  const words = sql.match(/[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*|["`[(]/g) ?? [];
  return words.length <= HINTED_FAILURE_WORDS_MAX;
}
