import type { Caller } from "@steward/kernel/caller.js";
import type { Intent, StatementClass } from "./intent.js";
import type { TouchedData } from "./touched-data.js";

/** The SQL a data source speaks. */
export type Dialect = "sqlite" | "postgres";

/** What a parser that knows the dialect's whole grammar says of a text. */
export type StatementAnalysis =
  | {
      readonly kind: "statement";
      readonly statementClass: StatementClass;
      /** Why it is of this class, where that is not plain: "it calls the function nextval". */
      readonly because?: string;
      /** Tables the text names, without duplicates, as written but for quotes; CTE names left out. */
      readonly tables: readonly string[];
      /** The columns that an INSERT names, in lower case; absent: all of them, or not an INSERT. */
      readonly insertedColumns?: readonly string[];
      /** Names of which only the database can tell whether they are those of its functions. */
      readonly functionNames?: readonly FunctionName[];
    }
  | {
      readonly kind: "rejected";
      /**
       * `unparsable`: not this dialect's SQL, or empty, or holding a NUL. `multiple_statements`: more
       * than one. `forbidden`: a statement no intent allows (ATTACH, PRAGMA, transaction control…).
       */
      readonly reason: "unparsable" | "multiple_statements" | "forbidden";
      /** For people: what and where, with a hint when the parser has one. */
      readonly message: string;
    };

/** A name by which a statement calls a function, or may: what it means depends on the database. */
export interface FunctionName {
  readonly name: string;
  /**
   * `call`: called without a schema. `row`, `value`: selected with a dot, from a row of a table or
   * query, or from anything; it is a function's name if there is no such column. `operator`: of an
   * operator that the engine does not bring along, which calls a function.
   */
  readonly form: "call" | "row" | "value" | "operator";
  /** Where the row comes from, as schema and name, if it can only be from tables. */
  readonly tables?: readonly (readonly string[])[];
  /** What the engine's own function of the name is to a statement that calls it, if there is one. */
  readonly builtInClass: StatementClass | "forbidden";
}

/** Reads one SQL text as the engine will. Pure: no database is asked. */
export interface SqlAnalyzer {
  /** Never throws for a text, whatever it holds; what cannot be read is `rejected`. */
  analyze(sql: string, dialect: Dialect): StatementAnalysis;

  /**
   * Sentences that help to repair a statement which the engine has refused: what the dialect has in
   * place of what the statement took from another one. Empty when there is nothing to say.
   * @param failure what the engine said.
   */
  advise(sql: string, dialect: Dialect, failure: string): readonly string[];
}

/** Reads long texts beside the event loop. */
export interface StatementReader {
  /** As {@link SqlAnalyzer.analyze}; what takes too long or too much memory is `rejected`. */
  read(sql: string, dialect: Dialect): Promise<StatementAnalysis>;
}

/** A statement that somebody wants to run. */
export interface PlannedStatement {
  /** The data source, or the tool of our own, that it is for. */
  readonly dataSource: string;
  readonly intent: Intent;
  /** As far as it is known; where {@link StatementPolicy.looksAtData} says no, nobody has to find out. */
  readonly touched?: TouchedData;
}

/** What a statement that may run is held to. */
export interface StatementGrant {
  /** Rows that it may change; absent: as many as the data source allows. */
  readonly rowsChangedMax?: number;
}

/** Decides by policies whether statements may run: when they are submitted, and again when they run. */
export interface StatementPolicy {
  /** Whether the policies for a caller depend on the tables and columns that a statement touches. */
  looksAtData(caller: Caller): Promise<boolean>;

  /**
   * Lets a statement pass that the caller may have run.
   * @throws AppError `POLICY_DENIED`, `APPROVAL_REQUIRED`; the reasons in `details` help to repair the statement.
   */
  permit(caller: Caller, statement: PlannedStatement): Promise<StatementGrant>;
}

/** A tool call that is about to run. */
export interface AnnouncedToolCall {
  /** The id that its record will carry. */
  readonly eventId: string;
  readonly orgId: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly intent: string;
  readonly ormModel: string | undefined;
}

/** Asked before each tool call whether it may run at all: budgets, and room to record it. */
export interface ToolCallGate {
  /**
   * Admits a call and counts it as used until it is recorded or released. Of calls that ask at the
   * same time no more are admitted than there is room for.
   * @returns sentences that warn the agent; empty when there is nothing to say.
   * @throws AppError `QUOTA_EXCEEDED` with `retryAfterMs`, or `STORE_UNAVAILABLE`: it must not run.
   */
  admit(call: AnnouncedToolCall): Promise<readonly string[]>;

  /** Says that an admitted call came to nothing: it will have no record. */
  release(call: Pick<AnnouncedToolCall, "orgId" | "eventId">): void;
}
