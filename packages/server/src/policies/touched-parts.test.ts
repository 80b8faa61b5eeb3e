import { describe, expect, it } from "vitest";
import { namesOf } from "./touched-parts.js";

describe("the names of a table in policies", () => {
  it.each([
    ["on SQLite", { name: "a.b", schema: "" }, ["a.b"]],
    ["with its schema", { name: "public.orders", schema: "public" }, ["public.orders", "orders"]],
    ["with a dot of its own", { name: "public.a.b", schema: "public" }, ["public.a.b", "a.b"]],
    [
      "whose schema has a dot",
      { name: "my.own.orders", schema: "my.own" },
      ["my.own.orders", "orders"],
    ],
    ["of which only a text is known", { name: "a.b.c" }, ["a.b.c", "b.c", "c"]],
  ])("%s", (_which, table, names) => {
    expect(namesOf(table)).toEqual(names);
  });
});
