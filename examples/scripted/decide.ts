/** What a model says next: a tool call, or its answer. */
export type Decision =
  | { readonly call: { readonly name: "query"; readonly args: { readonly sql: string } } }
  | { readonly answer: string };

export const QUESTION = "Who is customer 1?";

/**
 * The decisions of a model that misspells a column, reads the hint about it, corrects its statement and answers with
 * what the rows say.
 * @param results the texts of the tool results so far.
 */
export function decide(results: readonly string[]): Decision {
  const last = results.at(-1);
  if (last === undefined) return query("SELECT nme FROM customers WHERE id = 1");
  const [, column] = /did you mean (\w+)\?/.exec(last) ?? [];
  if (column !== undefined) return query(`SELECT ${column} FROM customers WHERE id = 1`);
  const [, name = "nobody"] = /\[(?:\[|\{"name":\s*)"([^"]*)"/.exec(last) ?? [];
  return { answer: `Customer 1 is ${name}.` };
}

function query(sql: string): Decision {
  return { call: { name: "query", args: { sql } } };
}
