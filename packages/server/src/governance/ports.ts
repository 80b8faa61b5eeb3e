import type { Caller, RecordedCaller } from "@steward/kernel/caller.js";
import type { NeededApproval } from "./approval-rule.js";
import type { Intent, StatementClass } from "./intent.js";
import type { RecordedData } from "../kernel/tool-call.js";
import type { TouchedData } from "./touched-data.js";

/** The SQL dialect of a data source. */
export type Dialect = "sqlite" | "postgres";

/** The analysis of a text by a parser with the dialect's whole grammar. */
export type StatementAnalysis =
  | {
      readonly kind: "statement";
      readonly statementClass: StatementClass;
      /**
       * Everything that the statement does, without duplicates: its class, each way in which it
       * changes rows, and `read_select` when it returns rows that it did not bring itself.
       */
      readonly kinds: readonly Intent[];
      /** The reason for the class, where it is not obvious: "it calls the function nextval". */
      readonly because?: string;
      /**
       * The class is `admin` only because of a function that the engine itself does not have: says so,
       * with what was probably meant. The database may define the function.
       */
      readonly unknownFunction?: string;
      /**
       * Tables the text names, without duplicates and quotes; names of common table expressions are
       * left out.
       */
      readonly tables: readonly string[];
      /**
       * On PostgreSQL, whether a change of the schema deletes rows as well: those of the tables that it drops, also
       * with all that depends on what it drops, or those of the tables that it names and of all that refer to them.
       * Absent: it deletes none, or is no such change.
       */
      readonly deletes?: "dropped" | "dependent" | "referring";
      /** On PostgreSQL, what a change of the schema changes by name, so that all that depends on it changes too; absent: only tables. */
      readonly changedObjects?: readonly ChangedObject[];
      /** On PostgreSQL, the functions and operators that a change of the schema may call, with schema and name or only the name. */
      readonly calls?: readonly (readonly string[])[];
      /** Whether it is an EXPLAIN, of PostgreSQL only; absent: it is not. */
      readonly isExplain?: boolean;
      /** The columns that an INSERT names, in lower case; absent: all of them, or not an INSERT. */
      readonly insertedColumns?: readonly string[];
      /** Names that may be functions of the database; only the database can tell. */
      readonly functionNames?: readonly FunctionName[];
    }
  | {
      readonly kind: "rejected";
      /**
       * `unparsable`: not this dialect's SQL, or empty, or with a NUL. `multiple_statements`: more
       * than one. `forbidden`: a statement no intent allows (ATTACH, PRAGMA, transaction control…).
       */
      readonly reason: "unparsable" | "multiple_statements" | "forbidden";
      /** For people: the problem and its position, with a hint when the parser has one. */
      readonly message: string;
    };

/** An object that a change of the schema names. */
export interface ChangedObject {
  /** Schema and name, or only the name. */
  readonly name: readonly string[];
  readonly isSchema: boolean;
}

/** A name that a statement calls, or may call, as a function; the database decides. */
export interface FunctionName {
  readonly name: string;
  /**
   * `call`: called without a schema. `row`, `value`: the notation `value.name` on a row of a table
   * or query, or on any value; it is a function call if there is no such column. `operator`: an
   * operator that is not built in, which calls a function.
   */
  readonly form: "call" | "row" | "value" | "operator";
  /** The tables of the row, as schema and name, if it can only come from tables. */
  readonly tables?: readonly (readonly string[])[];
  /**
   * The class of a statement that calls the engine's built-in function of this name, if there is
   * one.
   */
  readonly builtInClass: StatementClass | "forbidden";
}

/** An engine's refusal of a statement that its parser accepts. */
export interface EngineRefusal {
  /** SQLite has always the same words. PostgreSQL's are in the language of the server, and nothing reads them. */
  readonly message: string;
  /** PostgreSQL's SQLSTATE. */
  readonly code?: string | undefined;
  /** The place in the statement that PostgreSQL reports, in UTF-16 units. */
  readonly at?: number | undefined;
}

/** Analyzes an SQL text in the way of the engine. Pure: no database is asked. */
export interface SqlAnalyzer {
  /** Never throws for any text; a text that cannot be parsed is `rejected`. */
  analyze(sql: string, dialect: Dialect): StatementAnalysis;

  /**
   * Sentences that help to repair a statement which the engine has refused: the dialect's
   * equivalents of forms that the statement took from another dialect. Empty when there is no
   * advice.
   */
  advise(sql: string, dialect: Dialect, refusal: EngineRefusal): readonly string[];

  /**
   * What statements have in common that differ only in values. Literals that are names, arguments of
   * functions or numbers of rows are part of it.
   * @returns `undefined` for a text that is not one statement of the dialect.
   */
  shape(sql: string, dialect: Dialect): string | undefined;
}

/** Analyzes texts so that the event loop is never held: at once if that is quick, else outside of it. */
export interface StatementReader {
  /**
   * Like {@link SqlAnalyzer.analyze}; a text that takes too long or too much memory is `rejected`.
   * @param orgId whose statement it is; organizations are served in turn.
   * @throws AppError `OVERLOADED` when too many statements of the organization wait, or for too long.
   */
  read(
    sql: string,
    dialect: Dialect,
    orgId: string,
  ): StatementAnalysis | Promise<StatementAnalysis>;

  /** Like {@link SqlAnalyzer.advise}; empty when that takes too long. */
  advise(
    sql: string,
    dialect: Dialect,
    refusal: EngineRefusal,
    orgId: string,
  ): readonly string[] | Promise<readonly string[]>;

  /** Like {@link SqlAnalyzer.shape}; also `undefined` when that takes too long. */
  shape(
    sql: string,
    dialect: Dialect,
    orgId: string,
  ): string | undefined | Promise<string | undefined>;
}

/** A statement to be permitted. */
export interface PlannedStatement {
  /** The step's data source, or the service's own tool. */
  readonly dataSource: string;
  /** The step's intent. It is asked about as well; it permits nothing that the statement does. */
  readonly intent: Intent;
  /**
   * What the statement does, its class first. Absent: just its intent, for a question without a
   * statement.
   */
  readonly kinds?: readonly Intent[];
  /**
   * The data that the statement touches, as far as known. Not needed when {@link
   * StatementPolicy.looksAtData} is false.
   */
  readonly touched?: TouchedData;
  /** What runs by it, such as the changes of tables by a migration: each has to be permitted too. */
  readonly runs?: readonly PlannedStatement[];
}

/** A stored output that is to be handed to a caller. */
export interface OutputToHandOut {
  readonly dataSource: string;
  readonly intent: Intent;
  /** What the statement does, as in {@link PlannedStatement}. */
  readonly kinds?: readonly Intent[];
  /** Not needed when {@link StatementPolicy.looksAtData} is false. */
  readonly touched?: RecordedData | undefined;
  /** Who ran the statement, if it was recorded. */
  readonly ranBy?: RecordedCaller | undefined;
  /** The text of the statement is handed out too, with the values that it writes. */
  readonly showsStatement?: true;
}

/** Restrictions of a permitted statement. */
export interface StatementGrant {
  /** Maximum number of rows that it may change; absent: the limit of the data source. */
  readonly rowsChangedMax?: number;
  /** Whether a policy permits changes of rows that the database does not count. */
  readonly mayChangeUncounted?: true;
  /** The version of the policies that permitted it; absent: none was asked. */
  readonly policyVersion?: string;
}

/** The answer of the policies about a statement, with its reasons. */
export interface StatementDecision extends StatementGrant {
  /** `approval`: a person would have to approve it. */
  readonly verdict: "permit" | "deny" | "approval";
  /** Why it may not run as it is; absent when it may. */
  readonly reason?: string;
  /** The policies that decided; empty when no policy permits it. */
  readonly policies: readonly StatementRule[];
}

/** A policy that decided about a statement. */
export interface StatementRule {
  readonly id: string;
  readonly reason?: string;
  /** The role that must approve a statement which the policy forbids. */
  readonly approval?: string;
  /** How many must approve it; absent: one. */
  readonly approvalsMin?: number;
}

/**
 * Decides by policies whether statements may run: when they are submitted, and again when they run.
 */
export interface StatementPolicy {
  /**
   * Whether the policies for a caller depend on the tables and columns that a statement touches.
   * @param kinds what the statement does by its text; then also whether they depend on what its
   * triggers and cascades do in addition.
   */
  looksAtData(caller: Caller, kinds?: readonly Intent[]): boolean | Promise<boolean>;

  /**
   * Permits the statement or rejects; at once when the policies are in memory.
   * @param isApproved whether persons have approved what the policies demand. It is asked at most
   * once; when it answers true, the same policies decide again, with the statement approved. Absent:
   * nothing is approved.
   * @throws AppError `POLICY_DENIED`; ApprovalRequired. The reasons in `details` help to repair the
   * statement.
   */
  permit(
    caller: Caller,
    statement: PlannedStatement,
    isApproved?: (needed: NeededApproval) => boolean,
  ): StatementGrant | Promise<StatementGrant>;

  /** Whether {@link permit} would permit it. An answer is no refusal and leaves no record. */
  permits(...asked: Parameters<StatementPolicy["permit"]>): Promise<boolean>;
}

/** Decides by policies who may have what statements have returned before. */
export interface OutputPolicy extends Pick<StatementPolicy, "looksAtData"> {
  /**
   * Permits handing a stored output to a caller, or rejects; at once when the policies are in memory. The policies decide as if the caller ran
   * the statement now, or read what it has read. To be shown the statement too, the caller has to be permitted to
   * read what it has inserted and updated.
   * @throws AppError `POLICY_DENIED`.
   */
  permitOutput(caller: Caller, output: OutputToHandOut): undefined | Promise<undefined>;
}

/** A policy that tells its reasons beforehand. */
export interface ExplainedStatementPolicy extends StatementPolicy, OutputPolicy {
  /** The answer of {@link permit} with its reasons. @throws AppError `STORE_UNAVAILABLE`. */
  decide(caller: Caller, statement: PlannedStatement): Promise<StatementDecision>;

  /** Identifies the texts of all policies that decide for the caller now; the same on every node. */
  versionFor(caller: Caller): string | Promise<string>;
}

/** A tool call that is about to run. */
export interface AnnouncedToolCall {
  /** The id of its later record. */
  readonly eventId: string;
  readonly orgId: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly intent: string;
  readonly ormModel: string | undefined;
}

/**
 * Decides before each tool call whether it may run: checks budgets, and that there is room to
 * record it.
 */
export interface ToolCallGate {
  /**
   * Admits a call and counts it as used until it is recorded or released. Concurrent calls cannot
   * exceed a budget together.
   * @returns sentences that warn the agent; empty when there are none.
   * @throws AppError `QUOTA_EXCEEDED` with `retryAfterMs`, or `STORE_UNAVAILABLE`: the call must
   * not run.
   */
  admit(call: AnnouncedToolCall): readonly string[] | Promise<readonly string[]>;

  /** Releases an admitted call that did not run and will have no record. */
  release(call: Pick<AnnouncedToolCall, "orgId" | "eventId">): void;
}
