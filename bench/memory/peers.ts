import { createRequire } from "node:module";
import { DatabaseSync } from "@photostructure/sqlite";
import { rowOf, type VectorSet } from "./vectors.js";

/** Another exact search over the same vectors. */
export interface Peer {
  readonly name: string;
  search(query: Float32Array, limit: number): unknown;
}

/** The packages of `peers/` are installed by hand: npm ci --prefix bench/memory/peers */
const load = createRequire(new URL("../../memory/peers/package.json", import.meta.url));

/** Every installed peer, filled with the vectors. */
export function makePeers(set: VectorSet): readonly Peer[] {
  return [usearch, hnswlib, sqliteVec].flatMap((make) => {
    try {
      return [make(set)];
    } catch (error) {
      process.stderr.write(`left out: ${String(error).split("\n")[0] ?? ""}\n`);
      return [];
    }
  });
}

interface Usearch {
  readonly exactSearch: (
    data: Float32Array,
    query: Float32Array,
    dimension: number,
    limit: number,
    metric: string,
  ) => unknown;
}

function usearch(set: VectorSet): Peer {
  const { exactSearch } = load("usearch") as Usearch;
  return {
    name: "usearch exact",
    search: (query, limit) => exactSearch(set.data, query, set.dimension, limit, "cos"),
  };
}

interface Hnswlib {
  readonly BruteforceSearch: new (
    space: "cosine",
    dimension: number,
  ) => {
    initIndex(rows: number): void;
    addPoint(vector: number[], label: number): void;
    searchKnn(vector: number[], limit: number): unknown;
  };
}

function hnswlib(set: VectorSet): Peer {
  const { BruteforceSearch } = load("hnswlib-node") as Hnswlib;
  const index = new BruteforceSearch("cosine", set.dimension);
  index.initIndex(set.rows);
  for (let row = 0; row < set.rows; row += 1) index.addPoint([...rowOf(set, row)], row);
  return {
    name: "hnswlib brute force",
    search: (query, limit) => index.searchKnn([...query], limit),
  };
}

function sqliteVec(set: VectorSet): Peer {
  const { getLoadablePath } = load("sqlite-vec") as { readonly getLoadablePath: () => string };
  const db = new DatabaseSync(":memory:", { allowExtension: true });
  db.enableLoadExtension(true);
  db.loadExtension(getLoadablePath());
  const dimension = String(set.dimension);
  db.exec(
    `CREATE VIRTUAL TABLE vectors USING vec0(vector float[${dimension}] distance_metric=cosine)`,
  );
  const insert = db.prepare("INSERT INTO vectors (rowid, vector) VALUES (?, ?)");
  db.exec("BEGIN");
  for (let row = 0; row < set.rows; row += 1) insert.run(BigInt(row), bytesOf(rowOf(set, row)));
  db.exec("COMMIT");
  const nearest = db.prepare(
    "SELECT rowid, distance FROM vectors WHERE vector MATCH ? AND k = ? ORDER BY distance",
  );
  return {
    name: "sqlite-vec",
    search: (query, limit) => nearest.all(bytesOf(query), BigInt(limit)),
  };
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
