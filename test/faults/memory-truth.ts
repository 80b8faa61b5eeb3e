import { expect } from "vitest";
import type { StoreView } from "./store-view.js";

/** Each tool call has exactly one memory entry with one vector, and there are no others. */
export async function expectMemoryTruth(view: StoreView, dimension: number): Promise<void> {
  const ending = (id: string): string => `substr(CAST(${id} AS TEXT), 16)`;
  const missing = `SELECT ${ending("event_id")} FROM tool_calls AS c
    EXCEPT SELECT ${ending("entry_id")} FROM memory_entries`;
  expect(await view.all(missing)).toEqual([]);
  const [calls] = await view.all(`SELECT count(*) AS n FROM tool_calls AS c`);
  for (const table of ["memory_entries", "memory_entry_embeddings"]) {
    const sql = `SELECT count(*) AS n, count(DISTINCT entry_id) AS d FROM ${table}`;
    expect(await view.all(sql)).toEqual([{ n: calls?.["n"], d: calls?.["n"] }]);
  }
  const odd = `SELECT entry_id FROM memory_entry_embeddings
    WHERE length(embedding) <> ${String(4 * dimension)}`;
  expect(await view.all(odd)).toEqual([]);
  const vectors = "SELECT count(*) AS n FROM memory_vectors";
  const used = `SELECT count(*) AS n
    FROM (SELECT DISTINCT org_id, model_id, embedding FROM memory_entry_embeddings) AS used`;
  expect(await view.all(vectors)).toEqual(await view.all(used));
}
