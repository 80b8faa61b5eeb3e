import { DatabaseError } from "pg";
import { POSTGRES, type SqlValue } from "../../plans/ports.js";
import type { FetchLimits, PortalResult } from "./portal-query.js";
import type { Session } from "./session.js";
import { BEFORE_STATEMENT } from "./transaction.js";
import type { TypeCatalog } from "./type-catalog.js";

/** A statement's parameter values, and the types with which they may be declared. */
export interface Parameters {
  readonly texts: readonly (string | null)[];
  /** Type OIDs; 0 lets PostgreSQL infer the type from the context. */
  readonly typed: readonly number[];
  /** Type OIDs with which text parameters are declared as text, too. */
  readonly allTyped: readonly number[];
}

/**
 * SQLSTATE: PostgreSQL cannot infer a parameter's type from its context (PostgreSQL manual,
 * appendix A).
 */
const NO_TYPE: ReadonlySet<string> = new Set(["42P18"]);
/** SQLSTATEs: the declared types do not fit the context, or a value cannot be parsed. */
const UNFIT: ReadonlySet<string> = new Set([
  "0A000",
  "42704",
  "42725",
  "42804",
  "42846",
  "42883",
  "42P08",
]);

/** @param session in the statement's own transaction. */
export async function parametersFor(
  binds: readonly SqlValue[],
  types: TypeCatalog,
  session: Session,
): Promise<Parameters> {
  const typed: number[] = [];
  for (const bind of binds) {
    const isTyped = typeof bind === "object" && bind !== null && "type" in bind;
    typed.push(isTyped ? await types.oidOf(bind, session) : 0);
  }
  return {
    texts: binds.map(textOf),
    typed,
    allTyped: typed.map((oid, index) =>
      oid === 0 && typeof binds[index] !== "number" ? POSTGRES.text : oid,
    ),
  };
}

/**
 * Runs a statement with typed parameters. Text is treated like a literal: its type is inferred from
 * the context, such as a date in a comparison with a date, and is text where the context does not
 * determine it. Other types are inferred too where the declared type does not fit, such as an
 * integer that is compared with text.
 * @throws the error of the first attempt, when no way of declaring the parameters works.
 */
export async function runTyped(
  session: Session,
  sql: string,
  { texts, typed, allTyped }: Parameters,
  limits?: FetchLimits,
): Promise<PortalResult> {
  const untyped = typed.map(() => 0);
  if (allTyped.every((oid) => oid === 0)) return session.run(sql, texts, untyped, limits);
  const run = async (types: readonly number[]): Promise<PortalResult | DatabaseError> => {
    try {
      return await session.run(sql, texts, types, limits);
    } catch (error) {
      if (!(error instanceof DatabaseError) || !mayFitOtherwise(error)) throw error;
      await session.command(`ROLLBACK TO SAVEPOINT ${BEFORE_STATEMENT}`);
      return error;
    }
  };
  const first = await run(typed);
  if (!(first instanceof DatabaseError)) return first;
  const second = isOf(first, NO_TYPE) ? await run(allTyped) : first;
  if (!(second instanceof DatabaseError)) return second;
  const third = isOf(second, UNFIT) ? await run(untyped) : second;
  if (third instanceof DatabaseError) throw first;
  return third;
}

/** Whether another declaration of the parameters may avoid this error. */
export function mayFitOtherwise(error: DatabaseError): boolean {
  return isOf(error, NO_TYPE) || isOf(error, UNFIT);
}

function isOf(error: unknown, codes: ReadonlySet<string>): error is DatabaseError {
  return error instanceof DatabaseError && codes.has(error.code ?? "");
}

function textOf(bind: SqlValue): string | null {
  if (bind === null) return null;
  return typeof bind === "object" ? bind.text : String(bind);
}
