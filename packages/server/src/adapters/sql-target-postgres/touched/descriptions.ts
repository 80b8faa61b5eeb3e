import { DatabaseError } from "pg";
import {
  accessOf,
  type StatementGrant,
  type TouchedData,
  type TouchedTable,
} from "../../../governance/index.js";
import { RecentMap } from "../../../kernel/recent-map.js";
import { StatementError, type StatementRequest } from "../../../plans/ports.js";
import type { KnownStatement } from "../../admission.js";
import { mayFitOtherwise, parametersFor } from "../parameters.js";
import { readQueryTree, type TreeContents } from "./query-tree.js";
import { findNamed, readFacts, versionQuery } from "./reached-catalog.js";
import type { Session } from "../session.js";
import { ReachedData } from "./reached-data.js";
import type { TypeCatalog } from "../type-catalog.js";

/** Descriptions of statements that are remembered. */
const DESCRIPTIONS_KEPT_MAX = 1000;
/** Characters of the longest statement whose description is remembered. */
const KEPT_LENGTH_MAX = 4096;
/** Times that the catalog is asked for what follows from what was found: views of views are one, functions another. */
const ROUNDS_MAX = 50;

/** What a statement touches, and the version of everything in the catalog that this rests on. */
interface Description {
  readonly touched: TouchedData;
  readonly version: string;
  /** Asks for the version that there is now. */
  readonly query: string;
}

/** A statement whose caller's policies look at what it touches. */
export interface AskedStatement {
  readonly request: StatementRequest;
  readonly statement: KnownStatement;
  /** The role that it runs as; undefined for the one that logs in. */
  readonly role: string | undefined;
}

/** What was asked along with the begin of a transaction. */
export type SeenRows = readonly Readonly<Record<string, unknown>>[];

/** Describes statements, and has them permitted by their descriptions. */
export class Descriptions {
  readonly #types: TypeCatalog;
  /** By role and text. */
  readonly #known = new RecentMap<Description>(DESCRIPTIONS_KEPT_MAX);

  constructor(types: TypeCatalog) {
    this.#types = types;
  }

  /** What to ask along with the begin of the transaction, so that a known statement takes no further round trip. */
  versionText({ request, role }: Pick<AskedStatement, "request" | "role">): string {
    if (request.permit === undefined) return "";
    const known = this.#known.find(keyOf(request, role));
    return known === undefined ? "" : `${known.query};`;
  }

  /**
   * Has a statement permitted by what it touches now, within the transaction in which it will run.
   * @param seen the rows that {@link versionText} has given there.
   * @throws what the request's `permit` throws, or the server, which cannot parse the statement.
   */
  async permit(session: Session, asked: AskedStatement, seen: SeenRows): Promise<StatementGrant> {
    const { request, role } = asked;
    if (request.permit === undefined) return {};
    const key = keyOf(request, role);
    const known = this.#known.find(key);
    const isCurrent = known !== undefined && seen.at(-1)?.["version"] === known.version;
    const description = isCurrent ? known : await this.#describe(session, asked);
    if (!isCurrent) this.#known.delete(key);
    if (request.sql.length <= KEPT_LENGTH_MAX) this.#known.getOrMake(key, () => description);
    return request.permit(description.touched);
  }

  async #describe(session: Session, { request, statement }: AskedStatement): Promise<Description> {
    // From here on the server holds locks on what the statement uses: nobody changes it until the transaction ends.
    const trees = await this.#treesOf(session, request);
    const reached = new ReachedData();
    for (const tree of trees) reached.addTree(tree);
    const named = await findNamed(session, statement.tables);
    for (const relation of named.values()) {
      reached.addNamed(relation, accessOf(statement.statementClass));
    }
    await reach(session, reached);
    const query = versionQuery(reached, statement.tables);
    const [row] = await session.query(query);
    const found = reached.list();
    const unknown = statement.tables.filter((name) => !named.has(name));
    const touched = { ...found, tables: [...found.tables, ...unknown.map(unknownTable)] };
    return { touched, version: String(row?.["version"]), query };
  }

  /** The trees that the server makes of a statement, rules and views resolved, as it says them in notices. */
  async #treesOf(
    session: Session,
    { sql, binds }: StatementRequest,
  ): Promise<readonly TreeContents[]> {
    const { typed, allTyped } = await parametersFor(binds, this.#types, session);
    const untyped = typed.map(() => 0);
    for (const types of [typed, allTyped, untyped]) {
      await session.command(TELL_TREES);
      try {
        const trees = await session.treesOf(sql, types);
        await session.command(TELL_NO_TREES);
        if (trees.length === 0) throw treesAreMissing();
        return trees.map(readQueryTree);
      } catch (error) {
        if (!(error instanceof DatabaseError) || !mayFitOtherwise(error) || types === untyped)
          throw error;
        await session.command(`ROLLBACK TO SAVEPOINT ${BEFORE_TREES}`);
      }
    }
    throw treesAreMissing();
  }
}

async function reach(session: Session, reached: ReachedData): Promise<void> {
  const asked = { relations: new Set<number>(), functions: new Set<number>() };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const relations = reached.relations.filter((oid) => !asked.relations.has(oid));
    const functions = reached.functions.filter((oid) => !asked.functions.has(oid));
    if (relations.length + functions.length === 0) return;
    reached.addFacts(await readFacts(session, { relations, functions }));
    for (const oid of relations) asked.relations.add(oid);
    for (const oid of functions) asked.functions.add(oid);
    reached.follow();
  }
  const message =
    "What the statement touches cannot be followed to its end: its views and functions are nested too deeply";
  throw new StatementError("statement", message);
}

/** Something that a statement defines, or a table function's name: no relation that there is. */
function unknownTable(name: string): TouchedTable {
  return { name: name.toLowerCase(), accesses: { define: [] }, columns: [] };
}

const BEFORE_TREES = "steward_before_trees";

/** Sets the log of the server to say nothing of it, where the role may: the privilege SET on the parameter. */
const setLog = (level: string): string =>
  `DO $$ BEGIN SET LOCAL log_min_messages ${level}; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;`;

/** Has the server tell us the trees of what it parses, by its settings for developers (PostgreSQL manual, §19.17). */
const TELL_TREES = `SAVEPOINT ${BEFORE_TREES};
${setLog("= fatal")}
SET LOCAL client_min_messages = log;
SET LOCAL debug_pretty_print = off;
SET LOCAL debug_print_rewritten = on;`;

/** The savepoint is not gone back to: the locks on what the statement uses would be released. */
const TELL_NO_TREES = `SET LOCAL debug_print_rewritten = off;
SET LOCAL debug_pretty_print TO DEFAULT;
SET LOCAL client_min_messages TO DEFAULT;
${setLog("TO DEFAULT")}
RELEASE SAVEPOINT ${BEFORE_TREES};`;

function treesAreMissing(): StatementError {
  const message =
    "The policies look at tables and columns, and the data source does not tell which ones the statement touches: " +
    "its notices do not arrive, be it for a proxy in between; see docs/policies.md";
  return new StatementError("statement", message);
}

function keyOf({ sql, intent }: StatementRequest, role: string | undefined): string {
  return `${role ?? ""} ${intent} ${sql}`;
}
