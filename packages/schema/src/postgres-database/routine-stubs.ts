import { randomBytes } from "node:crypto";
import type pg from "pg";
import { NATIVE_LANGUAGES, type RoutineText, routineText } from "../index.js";

/**
 * Replaces the bodies of functions and procedures in a scratch database, so that none of them ever
 * runs there. PostgreSQL evaluates functions while it defines objects: in defaults, in the
 * predicates of indexes, in partition bounds, in casts. What a function declares of itself does not
 * help, because an IMMUTABLE one may call anything. A body that returns NULL takes the place of
 * each body as soon as it has been checked; the real bodies are only there while the catalog is
 * read, in a transaction that is rolled back.
 *
 * A body of the SQL standard stays when it calls nothing volatile but routines of the schema:
 * dependencies come from it, and it can contain nothing but queries and changes of rows.
 */
export class RoutineStubs {
  readonly #client: pg.Client;
  /** Marks the bodies in the catalog; random, so that no schema can contain it. */
  readonly #mark = `steward ${randomBytes(16).toString("hex")}`;
  readonly #replaced: RoutineText[] = [];

  /** @param client a connection with pipelining. */
  constructor(client: pg.Client) {
    this.#client = client;
  }

  /**
   * Runs a statement, and replaces the body of the routine that it creates.
   * @param run runs one statement.
   */
  async run(sql: string, run: (sql: string) => Promise<unknown>): Promise<void> {
    const routine = routineText(sql);
    if (routine === undefined || NATIVE_LANGUAGES.includes(routine.language)) {
      await run(sql);
    } else if (routine.isParsed) {
      await run(sql);
      await this.#replaceParsed(run);
    } else {
      await Promise.all([run(sql), run(this.#stub(routine))]);
    }
  }

  /** Does work while the catalog has the real bodies. Nothing else may run meanwhile. */
  async withBodies<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#replaced.length === 0) return work();
    const client = this.#client;
    await client.query("BEGIN; SET LOCAL search_path = ''; SET LOCAL check_function_bodies = off");
    try {
      const { rows } = await client.query<{ definition: string; body: string }>(
        `SELECT pg_catalog.pg_get_functiondef(oid) AS definition, prosrc AS body FROM pg_catalog.pg_proc
         WHERE prokind IN ('f', 'p', 'w') AND pg_catalog.strpos(prosrc, $1) > 0`,
        [this.#mark],
      );
      await Promise.all(rows.map((row) => client.query(this.#restored(row))));
      return await work();
    } finally {
      await client.query("ROLLBACK");
    }
  }

  async #replaceParsed(run: (sql: string) => Promise<unknown>): Promise<void> {
    const path = await this.#setSearchPath("");
    const { rows } = await this.#client.query<{ definition: string }>(CALLING_VOLATILE);
    for (const { definition } of rows) {
      const routine = routineText(definition);
      if (routine !== undefined) await run(this.#stub(routine));
    }
    await this.#setSearchPath(path);
  }

  /** @returns the former search path. */
  async #setSearchPath(path: string): Promise<string> {
    const { rows } = await this.#client.query<{ former: string }>(
      `SELECT former, pg_catalog.set_config('search_path', $1, false)
       FROM (SELECT pg_catalog.current_setting('search_path') AS former OFFSET 0) AS setting`,
      [path],
    );
    return rows[0]?.former ?? "";
  }

  #stub(routine: RoutineText): string {
    const { head, language, returned } = routine;
    const mark = `-- ${this.#mark} ${String(this.#replaced.push(routine) - 1)}\n`;
    const replacing = head.replace(/^(\s*CREATE)(\s+OR\s+REPLACE)?/i, "CREATE OR REPLACE");
    if (language === "sql") {
      const value = returned === undefined ? "SELECT NULL WHERE false" : `SELECT NULL::${returned}`;
      return `${replacing} LANGUAGE sql AS ${quoted(mark + value)}`;
    }
    const value = returned === undefined ? "" : "RETURN NULL; ";
    return `${replacing} LANGUAGE plpgsql AS ${quoted(`${mark}BEGIN ${value}END`)}`;
  }

  /** The present definition, with the real body. */
  #restored({ definition, body }: { readonly definition: string; readonly body: string }): string {
    const index = Number(/ (\d+)\n/.exec(body.slice(body.indexOf(this.#mark)))?.[1]);
    const present = routineText(definition);
    const real = this.#replaced[index];
    if (present === undefined || real === undefined) throw new Error("a stub has lost its body");
    return `${present.head} ${real.tail}`;
  }
}

/** Quoted as a string that every setting reads alike. */
function quoted(text: string): string {
  return `$steward_stub$${text}$steward_stub$`;
}

/**
 * Routines with a parsed body that calls a volatile function from outside of the schema: one that
 * PostgreSQL or an extension brings. An expression tree names functions by their ids.
 */
const CALLING_VOLATILE = `
  SELECT pg_catalog.pg_get_functiondef(routine.oid) AS definition FROM pg_catalog.pg_proc AS routine
  WHERE routine.prosqlbody IS NOT NULL AND EXISTS (
    SELECT FROM pg_catalog.regexp_matches(
      routine.prosqlbody::pg_catalog.text,
      ':(?:funcid|opfuncid|hashfuncid|negfuncid|aggfnoid|winfnoid) ([0-9]+)', 'g') AS named (ids)
    JOIN pg_catalog.pg_proc AS called ON called.oid = named.ids[1]::pg_catalog.oid
    WHERE called.provolatile = 'v' AND (called.oid < 16384 OR EXISTS (
      SELECT FROM pg_catalog.pg_depend AS member
      WHERE member.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND member.objid = called.oid
        AND member.deptype = 'e')))`;
