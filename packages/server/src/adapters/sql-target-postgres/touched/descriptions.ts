import { DatabaseError } from "pg";
import {
  accessOf,
  timesIn,
  type StatementGrant,
  type TouchedData,
  type TouchedTable,
} from "../../../governance/index.js";
import { ReportTooLong } from "@steward/postgres";
import { RecentMap } from "@steward/kernel/recent-map.js";
import { StatementError, type StatementRequest } from "../../../plans/ports.js";
import type { KnownStatement } from "../../sql-target/admission.js";
import { mayFitOtherwise, parametersFor } from "../parameters.js";
import { readQueryTree, type TreeContents } from "./query-tree.js";
import { definitionsQuery, findNamed, readFacts, versionQuery } from "./reached-catalog.js";
import { findCalled, findDependents } from "./changed-objects.js";
import type { Session } from "../session.js";
import { ReachedData } from "./reached-data.js";
import type { TreeStage } from "./tree-query.js";
import type { TypeCatalog } from "../type-catalog.js";

/** Limit of cached descriptions. */
const DESCRIPTIONS_KEPT_MAX = 1000;
/** Longest statement whose description is cached, in characters. */
const KEPT_LENGTH_MAX = 4096;
/**
 * Limit of iterations over the catalog, each of which follows the objects found by the previous
 * one: for example views of views, or functions.
 */
const ROUNDS_MAX = 50;

/** What a statement touches, and the version of the catalog entries on which this depends. */
interface Description {
  readonly touched: TouchedData;
  readonly version: string;
  /** A query for the current version. */
  readonly query: string;
  /** Whether row-level security restricts the role on a touched table. */
  readonly hasRowSecurity: boolean;
}

/** A statement that has to be described for policies. */
export interface AskedStatement {
  readonly request: Pick<StatementRequest, "sql" | "binds" | "intent" | "permit">;
  readonly statement: KnownStatement;
  /** The role that runs it; undefined for the login role. */
  readonly role: string | undefined;
}

/** Rows of the query that ran together with the transaction's BEGIN. */
export type SeenRows = readonly Readonly<Record<string, unknown>>[];

/** Describes statements, and authorizes them by their descriptions. */
export class Descriptions {
  readonly #types: TypeCatalog;
  /** By role and text. */
  readonly #known = new RecentMap<Description>(DESCRIPTIONS_KEPT_MAX);

  constructor(types: TypeCatalog) {
    this.#types = types;
  }

  /**
   * The query to run together with BEGIN, so that a cached statement needs no further round trip.
   */
  versionText({ request, role }: Pick<AskedStatement, "request" | "role">): string {
    if (request.permit === undefined) return "";
    const known = this.#known.get(keyOf(request, role));
    return known === undefined ? "" : `${known.query};`;
  }

  /**
   * Authorizes a statement by what it touches now, within its own transaction.
   * @param seen the rows of {@link versionText}.
   * @throws errors of the request's `permit`; errors of the server, which may not be able to parse
   * the statement.
   */
  async permit(session: Session, asked: AskedStatement, seen: SeenRows): Promise<StatementGrant> {
    const { request, role, statement } = asked;
    const { isExplain = false } = statement;
    if (request.permit === undefined && !isExplain) return {};
    const known = this.#known.get(keyOf(request, role));
    const isCurrent = known !== undefined && seen.at(-1)?.["version"] === known.version;
    const description = isCurrent ? known : await this.#describeForRun(session, asked);
    const grant = await request.permit?.(description.touched);
    if (isExplain && description.hasRowSecurity) throw explainShowsHiddenRows();
    return grant ?? {};
  }

  /** The last known description of a statement; `undefined` when there is none. */
  lastOf(
    request: Pick<StatementRequest, "sql" | "intent">,
    role: string | undefined,
  ): TouchedData | undefined {
    return this.#known.get(keyOf(request, role))?.touched;
  }

  /** What a statement touches now with its values, which is remembered for its run. */
  async describeForRun(session: Session, asked: AskedStatement): Promise<TouchedData> {
    const { touched } = await this.#describeForRun(session, asked);
    return touched;
  }

  async #describeForRun(session: Session, asked: AskedStatement): Promise<Description> {
    const key = keyOf(asked.request, asked.role);
    const description = await this.#describe(session, asked);
    this.#known.delete(key);
    // No version tells of objects that begin to depend on those that a change of the schema names.
    const isKept =
      asked.request.sql.length <= KEPT_LENGTH_MAX && asked.statement.changedObjects === undefined;
    if (isKept) this.#known.getOrMake(key, () => description);
    return description;
  }

  /**
   * What a statement touches now, and whether the planner's figures for it may be shown: they count also the rows
   * that row-level security hides. @throws errors of the server, which may not be able to parse the statement.
   */
  async describe(
    session: Session,
    asked: AskedStatement,
  ): Promise<{ readonly touched: TouchedData; readonly mayEstimate: boolean }> {
    const { touched, hasRowSecurity } = await this.#describe(session, asked);
    return { touched, mayEstimate: !hasRowSecurity };
  }

  async #describe(session: Session, { request, statement }: AskedStatement): Promise<Description> {
    // From here on the server holds locks on the objects that the statement uses, so they cannot
    // change until the end of the transaction.
    const trees = await this.#treesOf(session, request, "debug_print_rewritten");
    const reached = new ReachedData();
    for (const tree of trees) reached.addTree(tree);
    const named = await findNamed(session, statement.tables);
    for (const relation of named.values()) {
      reached.addNamed(relation, accessOf(statement.statementClass));
      if (statement.deletes === "referring") reached.addTruncated(relation);
    }
    for (const called of await findCalled(session, statement.calls ?? [])) reached.addCall(called);
    const dependents = await findDependents(session, statement);
    for (const { relation } of dependents) reached.addNamed(relation, "define");
    await reach(session, reached);
    if (statement.deletes === "dropped" || statement.deletes === "dependent") {
      // A DROP runs no trigger, and no action of a foreign key.
      for (const { relation, losesRows } of dependents) if (losesRows) reached.addDropped(relation);
    }
    const query = versionQuery(reached, statement.tables);
    const [row] = await session.query(query);
    const found = reached.list();
    const unknown = statement.tables.filter((name) => !named.has(name));
    const inputTypes = trees.flatMap((tree) => [...tree.inputTypes]);
    const [defined] = await session.query(definitionsQuery(reached, inputTypes));
    // The query builds a list of names.
    const varying = JSON.parse(String(defined?.["varying"])) as string[];
    varying.push(...new Set(trees.flatMap(({ systemColumns }) => [...systemColumns])));
    if (trees.some(({ tellsTime }) => tellsTime)) varying.push("current_timestamp");
    if (trees.some(({ hasTimeConstant }) => hasTimeConstant)) {
      varying.push(...timesIn(request.sql));
      if (MAY_HIDE_TIME.test(request.sql)) varying.push("a date or time");
    }
    const touched = {
      ...{ ...found, tables: [...found.tables, ...unknown.map(unknownTable)] },
      definitions: String(defined?.["definitions"]),
      ...(varying.length === 0 ? {} : { varying }),
      ...(trees.some(namesMembers) ? { namesMembers: true } : {}),
    };
    const hasRowSecurity = defined?.["has_row_security"] === "t";
    return { touched, version: String(row?.["version"]), query, hasRowSecurity };
  }

  /**
   * The OIDs of the functions that a statement and the views in it call: those of column defaults, triggers, rules
   * and policies do not count.
   */
  async callsOf(
    session: Session,
    request: AskedStatement["request"],
  ): Promise<ReadonlySet<number>> {
    const [functions, seen] = [new Set<number>(), new Set<number>()];
    let trees = await this.#treesOf(session, request, "debug_print_parse");
    while (trees.length > 0) {
      for (const tree of trees) for (const called of tree.functions) functions.add(called);
      const named = trees.flatMap((tree) => tree.relations.map(([relation]) => relation));
      const relations = named.filter((relation) => !seen.has(relation));
      for (const relation of relations) seen.add(relation);
      const facts = await readFacts(session, { relations, functions: [], types: [] });
      trees = facts.relations.flatMap(({ tree }) => (tree === null ? [] : [readQueryTree(tree)]));
    }
    return functions;
  }

  /** The query trees of a statement, which PostgreSQL reports in notices. */
  async #treesOf(
    session: Session,
    { sql, binds }: AskedStatement["request"],
    stage: TreeStage,
  ): Promise<readonly TreeContents[]> {
    const { typed, allTyped } = await parametersFor(binds, this.#types, session);
    const untyped = typed.map(() => 0);
    for (const types of [typed, allTyped, untyped]) {
      await session.command(tellTrees(stage));
      try {
        const trees = await session.treesOf(sql, types, stage);
        await session.command(tellNoTrees(stage));
        if (trees.length === 0) throw treesAreMissing();
        return trees.map(readQueryTree);
      } catch (error) {
        if (error instanceof ReportTooLong) throw treesAreTooLarge(error);
        if (!(error instanceof DatabaseError) || !mayFitOtherwise(error) || types === untyped)
          throw error;
        await session.command(`ROLLBACK TO SAVEPOINT ${BEFORE_TREES}`);
      }
    }
    throw treesAreMissing();
  }
}

/** Escapes and continued literals, in which `timesIn` finds no word. */
const MAY_HIDE_TIME = /\\|u&|'(?:\s|--.*\n)+'/i;

async function reach(session: Session, reached: ReachedData): Promise<void> {
  const asked = {
    ...{ relations: new Set<number>(), functions: new Set<number>(), types: new Set<number>() },
  };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const relations = reached.relations.filter((oid) => !asked.relations.has(oid));
    const functions = reached.functions.filter((oid) => !asked.functions.has(oid));
    const types = reached.types.filter((oid) => !asked.types.has(oid));
    if (relations.length + functions.length + types.length === 0) return;
    reached.addFacts(await readFacts(session, { relations, functions, types }));
    for (const oid of relations) asked.relations.add(oid);
    for (const oid of functions) asked.functions.add(oid);
    for (const oid of types) asked.types.add(oid);
    reached.follow();
  }
  const message =
    "The tables that the statement touches cannot be determined: its views and functions are nested too deeply";
  throw new StatementError("statement", message);
}

/** `jsonb || jsonb`, and `jsonb - text`, `- integer` and `- text[]`, by OID. */
const OF_MEMBERS = [3301, 3302, 3303, 3343];

/** Types alone tell these operators from a concatenation or a subtraction. */
function namesMembers({ functions }: TreeContents): boolean {
  return OF_MEMBERS.some((called) => functions.has(called));
}

/** An object that the statement defines, or the name of a table function: no existing relation. */
function unknownTable(name: string): TouchedTable {
  return { name: name.toLowerCase(), accesses: { define: [] }, columns: [] };
}

const BEFORE_TREES = "steward_before_trees";

/** Keeps the trees out of the server's log, if the role has the privilege SET on the parameter. */
const setLog = (level: string): string =>
  `DO $$ BEGIN SET LOCAL log_min_messages ${level}; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;`;

/**
 * Makes PostgreSQL report the trees of parsed statements, by its developer options (PostgreSQL
 * manual, §19.17).
 */
const tellTrees = (stage: TreeStage): string => `SAVEPOINT ${BEFORE_TREES};
${setLog("= fatal")}
SET LOCAL client_min_messages = log;
SET LOCAL debug_pretty_print = off;
SET LOCAL ${stage} = on;`;

/**
 * The savepoint is not rolled back, because that would release the locks on the objects that the
 * statement uses.
 */
const tellNoTrees = (stage: TreeStage): string => `SET LOCAL ${stage} = off;
SET LOCAL debug_pretty_print TO DEFAULT;
SET LOCAL client_min_messages TO DEFAULT;
${setLog("TO DEFAULT")}
RELEASE SAVEPOINT ${BEFORE_TREES};`;

function treesAreMissing(): StatementError {
  const message =
    "The policies look at tables and columns, and the data source does not tell which ones the statement touches: " +
    "its notices do not arrive, for example because of a proxy in between; see docs/policies.md";
  return new StatementError("statement", message);
}

function explainShowsHiddenRows(): StatementError {
  const message =
    "EXPLAIN is refused here: the statement touches a table with row-level security, and the plan's figures tell of rows that it hides; " +
    "run the statement itself, or ask the owner of the table for its plan";
  return new StatementError("statement", message);
}

function treesAreTooLarge(cause: unknown): StatementError {
  const message =
    "The statement uses too many tables, views and expressions for the policies to be checked; " +
    "take it apart, or use fewer views and shorter lists";
  return new StatementError("statement", message, { cause });
}

function keyOf(
  { sql, intent }: Pick<StatementRequest, "sql" | "intent">,
  role: string | undefined,
): string {
  return `${role ?? ""} ${intent} ${sql}`;
}
