import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CatalogTable } from "./catalog-table.js";
import { type DescribedTable, describeWithin } from "./table-description.js";
import { countTokens } from "./token-count.js";

/** Names and texts of every script, with line breaks, quotes and control characters. */
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.lorem({ maxCount: 30 }), fc.string());
const name = fc.oneof(fc.stringMatching(/^[a-z_]{1,20}$/), fc.string({ unit: "grapheme" }));
const few = <Value>(of: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> =>
  fc.array(of, { maxLength: 6 });

const table: fc.Arbitrary<CatalogTable> = fc.record({
  name,
  policyName: name,
  policySchema: fc.constant(""),
  quotedName: name,
  kind: fc.constantFrom("table", "view"),
  description: text,
  questions: few(text),
  metrics: few(fc.record({ name, expression: text, dimensions: few(name), description: text })),
  columns: fc.array(fc.record({ name, type: name, isNotNull: fc.boolean(), description: text }), {
    maxLength: 40,
  }),
  primaryKey: few(name),
  uniqueKeys: few(few(name)),
  foreignKeys: few(fc.record({ columns: few(name), target: name, targetColumns: few(name) })),
  fingerprint: fc.constant(""),
});

const described: fc.Arbitrary<DescribedTable> = fc.record({
  dataSource: name,
  dialect: fc.constantFrom("sqlite", "postgres"),
  table,
  profile: fc.record({
    sampleRows: few(fc.dictionary(name, text)),
    values: fc.dictionary(name, few(text)).map((values) => new Map(Object.entries(values))),
    ranges: fc
      .dictionary(name, fc.record({ least: text, greatest: text }))
      .map((ranges) => new Map(Object.entries(ranges))),
    isComplete: fc.boolean(),
  }),
  joinPaths: few(
    fc.record({ to: name, steps: few(fc.record({ from: name, to: name, condition: text })) }),
  ),
  statements: few(text),
});

describe("the description of a table", () => {
  it("never exceeds its budget, and names what it leaves out", () => {
    fc.assert(
      fc.property(described, fc.integer({ min: 0, max: 3000 }), (one, budget) => {
        const { text: shown, tokens, leftOut } = describeWithin(one, budget);
        expect(tokens).toBe(countTokens(shown));
        expect(tokens).toBeLessThanOrEqual(budget);
        if (shown !== "") {
          const last = `Left out for the token budget: ${leftOut.join(", ")}`;
          expect(shown.endsWith(last)).toBe(leftOut.length > 0);
        }
        const whole = describeWithin(one, Number.MAX_SAFE_INTEGER);
        expect(whole.leftOut).toEqual([]);
        if (whole.tokens <= budget) expect(shown).toBe(whole.text);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the count of tokens", () => {
  it("follows its rule", () => {
    expect(countTokens("")).toBe(0);
    expect(countTokens("catalog")).toBe(1);
    expect(countTokens("catalogs")).toBe(2);
    expect(countTokens("a b")).toBe(2);
    expect(countTokens("qty_2024\n")).toBe(1 + 1 + 2 + 1);
    expect(countTokens('"],["')).toBe(3);
    expect(countTokens("ä€😀")).toBe(5);
    expect(countTokens("\u0000")).toBe(1);
  });

  it("is at least that of the parts, less what they share", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(countTokens(`${a}\n${b}`)).toBeGreaterThanOrEqual(countTokens(b));
        expect(countTokens(`${a}\n${b}`)).toBeLessThanOrEqual(countTokens(a) + 1 + countTokens(b));
      }),
    );
  });
});
