import { expect, it } from "vitest";
import { nameAt, placeIn } from "./name-at.js";

it("counts PostgreSQL's position in code points, and reads the name there", () => {
  const sql = `SELECT '😀', o . "Großer ""Name""" FROM orders o`;
  const cause = Object.assign(new Error(), { position: "13" });
  const at = placeIn(sql, cause);
  expect(sql.slice(at)).toMatch(/^o \. "/);
  expect(nameAt(sql, at)).toEqual({ text: 'o . "Großer ""Name"""', path: ["o", 'Großer "Name"'] });
});

it("folds what has no quotes, and finds no name in a sign or without a place", () => {
  expect(nameAt("SELECT Id FROM t", 7)).toEqual({ text: "Id", path: ["id"] });
  expect(nameAt("SELECT 1 + 2", 9)).toBeUndefined();
  expect(placeIn("SELECT 1", new Error())).toBeUndefined();
});
