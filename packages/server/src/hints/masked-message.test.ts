import { describe, expect, it } from "vitest";
import { StatementError } from "../plans/ports.js";
import { namesIn } from "./masked-message.js";
import { readInShop } from "./testing/shop-tables.js";

const { tables } = readInShop("SELECT 1");

/** The columns that the message of a failed statement names besides those of the statement. */
function besides(message: string, sql: string): readonly string[] | undefined {
  return namesIn(new StatementError("statement", message), sql, tables)?.flatMap(
    ({ table, columns }) => columns.map((column) => `${table.name}.${column}`),
  );
}

describe("the columns that a message names and the statement does not", () => {
  it.each([
    ["no such column: ID; did you mean LAST_NAME?", "SELECT id FROM customers"],
    ["x.last_name (1)", 'SELECT id FROM "customers" x'],
    ["near last_name", "SELECT id FROM main . customers"],
    ["near last_name", `SELECT id FROM orders, customers -- ${"long ".repeat(10_000)}`],
  ])("are found in the tables of the statement: %j", (message, sql) => {
    expect(besides(message, sql)).toEqual(["customers.last_name"]);
  });

  it.each([
    [`invalid input syntax for type integer: "4711"`, "UPDATE customers SET id = 1"],
    ["ungültig: «4711»", "ALTER TABLE customers ALTER id TYPE int"],
  ])("are all columns of its tables where it quotes something else: %j", (message, sql) => {
    expect(besides(message, sql)).toContain("customers.last_name");
  });

  it("are none where it quotes the statement itself", () => {
    const sql = "UPDATE customers SET id = CAST('4711x' AS int)";
    expect(besides(`invalid input syntax for type integer: "4711x"`, sql)).toEqual([]);
  });

  it.each([
    ["names it", "last_name", "SELECT last_name FROM customers"],
    ["is about another table", "last_name", "SELECT id FROM orders"],
    ["has a longer word", "last_names, mylast_name", "SELECT id FROM customers"],
    ["has the words apart", "last and name", "SELECT id FROM customers"],
  ])("are none where the statement or the message %s", (_, message, sql) => {
    expect(besides(message, sql)).toEqual([]);
  });
});
