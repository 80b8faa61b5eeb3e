import { type BatchEmbeddingProvider } from "../../embedding/index.js";
import { CATALOG_TABLES_EMBEDDED_AT_ONCE } from "../limits.js";
import { cosineTo } from "../../memory/index.js";
import type { CatalogTable } from "../catalog-table.js";

/** The vectors of a schema's tables, by fingerprint, as far as they have been made. */
export type TableVectors = ReadonlyMap<string, Float32Array>;

/**
 * Embeds tables. A table's text contains names and descriptions but never values of rows, because
 * the embedding provider may be outside the organization.
 * @param earlier vectors of an earlier schema. Unchanged tables keep their vectors.
 * @throws EmbeddingError; the signal's reason when the signal was aborted.
 */
export async function embedTables(
  tables: readonly CatalogTable[],
  provider: BatchEmbeddingProvider,
  earlier: TableVectors,
  signal: AbortSignal,
): Promise<TableVectors> {
  const vectors = new Map<string, Float32Array>();
  const missing: CatalogTable[] = [];
  for (const table of tables) {
    const known = earlier.get(table.fingerprint);
    if (known === undefined) missing.push(table);
    else vectors.set(table.fingerprint, known);
  }
  for (let start = 0; start < missing.length; start += CATALOG_TABLES_EMBEDDED_AT_ONCE) {
    const batch = missing.slice(start, start + CATALOG_TABLES_EMBEDDED_AT_ONCE);
    const made = await provider.embedMany(batch.map(textOf), { inputType: "document", signal });
    for (const [index, { fingerprint }] of batch.entries()) {
      const vector = made[index];
      if (vector !== undefined) vectors.set(fingerprint, vector);
    }
  }
  return vectors;
}

/** The similarity of each table that has a vector to a question's vector, in [-1, 1]. */
export function similarities(
  tables: readonly CatalogTable[],
  vectors: TableVectors,
  question: Float32Array,
): readonly (number | undefined)[] {
  const similarity = cosineTo(question);
  return tables.map(({ fingerprint }) => {
    const vector = vectors.get(fingerprint);
    return vector === undefined ? undefined : similarity(vector);
  });
}

function textOf({
  name,
  description = "",
  questions,
  metrics = [],
  columns,
}: CatalogTable): string {
  const named = columns.map((column) =>
    column.description === undefined ? column.name : `${column.name} (${column.description})`,
  );
  const figures = metrics.map((metric) => `${readable(metric.name)} ${metric.description ?? ""}`);
  return [
    ...[readable(name), description, ...questions, ...figures, readable(named.join(", "))],
  ].join("\n");
}

/** Names as words: the hashing provider knows only whole words and their n-grams. */
function readable(names: string): string {
  return names.replaceAll(/[_.]/g, " ").replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
}
