import { expect, it } from "vitest";
import type { CatalogTable } from "../catalog-table.js";
import { WordIndex } from "./word-index.js";

it("scores a table for whoever may not read a column as if its values were unknown", () => {
  const [known, unknown] = [indexOf(TABLES), indexOf(TABLES)];
  known.addValues(0, "email", ["ada", "bob"]);
  for (const word of ["ada", "eve"]) {
    const [one, other] = [known, unknown].map((index) => {
      const words = ["customers", word];
      const { score } = index.matchIn(0, words, (column) => column !== "email");
      return { score, scoreMax: index.scoreMax(words) };
    });
    expect(one).toEqual(other);
  }
  expect(known.match(["ada"]).map(({ table }) => table)).toEqual([0]);
});

function indexOf(tables: readonly CatalogTable[]): WordIndex {
  const made = WordIndex.of(tables);
  for (;;) {
    const { done, value } = made.next();
    if (done === true) return value;
  }
}

const COLUMNS = [
  { name: "id", type: "integer", isNotNull: true },
  { name: "email", type: "text", isNotNull: true },
];
const KEYS = { primaryKey: ["id"], uniqueKeys: [], foreignKeys: [], questions: [] };
const TABLES: readonly CatalogTable[] = ["customers", "orders"].map((name) => ({
  ...{
    name,
    kind: "table",
    quotedName: name,
    policyName: name,
    policySchema: "",
    fingerprint: name,
  },
  ...{ columns: COLUMNS, ...KEYS },
}));
