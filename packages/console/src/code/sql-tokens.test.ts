import fc from "fast-check";
import { expect, it } from "vitest";
import { sqlTokens } from "./sql-tokens.js";

it("names what a statement is made of", () => {
  const tokens = sqlTokens("SELECT 'it''s', 42 FROM t WHERE id = {{step.a.output[0].id}} -- why");
  const named = tokens
    .filter(({ kind }) => kind !== "plain")
    .map(({ kind, text }) => `${kind}:${text}`);
  expect(named).toEqual([
    ...["keyword:SELECT", "text:'it''s'", "number:42", "keyword:FROM", "keyword:WHERE"],
    ...["placeholder:{{step.a.output[0].id}}", "comment:-- why"],
  ]);
});

it("loses no character of any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (sql) => {
      expect(
        sqlTokens(sql)
          .map(({ text }) => text)
          .join(""),
      ).toBe(sql);
    }),
  );
});
