import type { EngineRefusal } from "../../../governance/index.js";
import { codeIn, placeIn } from "../../../kernel/name-at.js";
import { FOREIGN_MESSAGE } from "../../sql-target-postgres/testing/foreign-messages.js";

/** The refusal that an engine's error is, in the words of a PostgreSQL server with another language. */
export async function refusalOf(run: Promise<unknown>, sql: string): Promise<EngineRefusal> {
  const error = await run.then(
    () => new Error("it ran"),
    (thrown: unknown) => thrown,
  );
  const code = codeIn(error);
  const message = code === undefined ? (error as Error).message : FOREIGN_MESSAGE;
  return { message, code, at: placeIn(sql, error) };
}
