import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cedarEngine } from "../../adapters/policy-cedar/index.js";
import { POLICY_TEXT_BYTES_MAX } from "../../policies/limits.js";
import { isSensitive } from "./sensitive-names.js";
import { starterPolicies } from "./starter-policies.js";

const column = (name: string) => ({ name, type: "text", not_null: false });

describe("the name of a column", () => {
  it.each([
    ...["email", "customerEmail", "E_MAIL", "phone_numbers", "APIKey", "api_key", "password_hash"],
    ...["date_of_birth", "SSN", "credit_card_number", "shippingAddress", "access_tokens", "iban"],
  ])("%s is sensitive", (name) => {
    expect(isSensitive(name)).toBe(true);
  });

  it.each([
    ...["id", "total", "status", "created_at", "primary_key", "key", "card", "pinned_at"],
    ...["tokenizer", "emailed", "spin", "panel", "account_id", "quantity"],
  ])("%s is not", (name) => {
    expect(isSensitive(name)).toBe(false);
  });
});

describe("policies for the start", () => {
  it("are valid whatever tables and columns are called, and fit into what can be put", () => {
    const engine = cedarEngine();
    const names = fc.oneof(
      fc.constantFrom("email", "phone", "api_key", 'e"mail email', "email\n// x", "\u202eemail"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
    );
    const tables = fc.array(
      fc.record({ table: names, columns: fc.array(names.map(column), { maxLength: 30 }) }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(tables, (all) => {
        const { text } = starterPolicies(
          [{ dataSource: "shop", tables: all }],
          POLICY_TEXT_BYTES_MAX,
        );
        expect(engine.problemsIn(text)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it("name the columns that they have no room for", () => {
    const columns = Array.from({ length: 400 }, (_, index) => column(`email_${String(index)}`));
    const tables = [{ table: "people", columns }];
    const { text, denied, leftOut } = starterPolicies(
      [{ dataSource: "shop", tables }],
      POLICY_TEXT_BYTES_MAX,
    );
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(POLICY_TEXT_BYTES_MAX);
    expect(denied.length).toBeGreaterThan(100);
    expect([...denied, ...leftOut]).toHaveLength(400);
  });
});
