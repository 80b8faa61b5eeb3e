import { describe, expect, it } from "vitest";
import { hitOf } from "./hit.js";

const call = JSON.stringify({
  plan_id: "01a204b8-1409-7623-8203-f28157261013",
  tool_name: "sql",
  query: "SELECT name, city FROM customers ORDER BY spent DESC LIMIT 1",
  output: JSON.stringify([{ name: "Daniel Haddad", city: "Vienna" }]),
  error: null,
});

describe("the hit of a memory search", () => {
  it.each([
    ["Vienna", "city: Vienna"],
    ["daniel", "name: Daniel Haddad"],
    ["spent most", "query: …tomers ORDER BY spent DESC LIMIT 1"],
    ["something else", "query: SELECT name, city FROM customers ORDER BY spent DESC LIMIT 1"],
  ])("for %j shows %j", (query, hit) => {
    expect(hitOf(call, query)).toBe(hit);
  });

  it("of a note is its text, and of what is no object the whole", () => {
    const note = JSON.stringify({ note: "invoices are paid on Fridays" });
    expect(hitOf(note, "when")).toBe("note: invoices are paid on Fridays");
    expect(hitOf('"plain text"', "text")).toBe("plain text");
    expect(hitOf("[1,2]", "x")).toBe("1");
    expect(hitOf("[]", "x")).toBe("[]");
  });
});
