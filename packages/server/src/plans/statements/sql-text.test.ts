import { describe, expect, it } from "vitest";
import { tokenize } from "./sql-text.js";

describe("the tokens of a statement with placeholders", () => {
  it("take braces in code for one token, quoted names in them and all", () => {
    const tokens = tokenize('({{step.a.output["}}\'"]}})', "sqlite");
    expect(tokens.map(({ type, text }) => `${type} ${text}`)).toEqual([
      "sign (",
      'markup {{step.a.output["}}\'"]}}',
      "sign )",
    ]);
    expect(tokenize("{{step.a", "postgres")).toMatchObject([{ type: "markup", isClosed: false }]);
  });
});
