import { DatabaseError } from "pg";
import { POSTGRES, type SqlValue } from "../../plans/ports.js";
import type { PortalResult } from "./portal-query.js";
import type { Session } from "./session.js";
import { BEFORE_STATEMENT } from "./transaction.js";
import type { TypeCatalog } from "./type-catalog.js";

/** The values of a statement's parameters, and of which types they may be declared. */
export interface Parameters {
  readonly texts: readonly (string | null)[];
  /** OIDs; 0 leaves the type to what stands around the parameter. */
  readonly typed: readonly number[];
  /** The same, with text declared as text too. */
  readonly allTyped: readonly number[];
}

/** A parameter's type is not told by what stands around it (PostgreSQL manual, appendix A). */
const UNTOLD: ReadonlySet<string> = new Set(["42P18"]);
/** The declared types do not go with what stands around them, or cannot be read. */
const UNFIT: ReadonlySet<string> = new Set([
  "0A000",
  "42704",
  "42725",
  "42804",
  "42846",
  "42883",
  "42P08",
]);

/** @param session in the transaction in which the statement will run. */
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
 * Runs a statement whose values keep their types. Text is read as what stands around it, like a
 * literal: as a date where it is compared with one, as text where nothing says what it is. Where
 * another type does not fit, as an integer that is compared with text, it is read in the same way.
 * @throws what the first way of declaring the parameters failed with, when no other one works.
 */
export async function runTyped(
  session: Session,
  sql: string,
  { texts, typed, allTyped }: Parameters,
): Promise<PortalResult> {
  const untyped = typed.map(() => 0);
  if (allTyped.every((oid) => oid === 0)) return session.run(sql, texts, untyped);
  const run = async (types: readonly number[]): Promise<PortalResult | DatabaseError> => {
    try {
      return await session.run(sql, texts, types);
    } catch (error) {
      if (!(error instanceof DatabaseError) || !mayFitOtherwise(error)) throw error;
      await session.command(`ROLLBACK TO SAVEPOINT ${BEFORE_STATEMENT}`);
      return error;
    }
  };
  const first = await run(typed);
  if (!(first instanceof DatabaseError)) return first;
  const second = isOf(first, UNTOLD) ? await run(allTyped) : first;
  if (!(second instanceof DatabaseError)) return second;
  const third = isOf(second, UNFIT) ? await run(untyped) : second;
  if (third instanceof DatabaseError) throw first;
  return third;
}

/** Whether a statement that failed with this may be read with its parameters declared in another way. */
export function mayFitOtherwise(error: DatabaseError): boolean {
  return isOf(error, UNTOLD) || isOf(error, UNFIT);
}

function isOf(error: unknown, codes: ReadonlySet<string>): error is DatabaseError {
  return error instanceof DatabaseError && codes.has(error.code ?? "");
}

function textOf(bind: SqlValue): string | null {
  if (bind === null) return null;
  return typeof bind === "object" ? bind.text : String(bind);
}
