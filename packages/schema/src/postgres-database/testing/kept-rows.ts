import fc from "fast-check";
import type pg from "pg";
import { expect } from "vitest";
import {
  identify,
  renameHints,
  type Schema,
  type Script,
  scriptBetween,
  stepsOf,
} from "../../index.js";
import { lint } from "../../lint/lint.js";
import { lostValues, valuesIn } from "../../testing/kept-values.js";
import { pickFrom, randomChange } from "../../testing/random-changes.js";
import { refuseChangedRows } from "../row-checks.js";
import { introspectScratch } from "../session.js";
import { type DatabasePair, define } from "./transition.js";

/**
 * Makes random changes of a schema with rows, like a migration without accepted data loss.
 * @returns the number of completed changes; for the others the lint announced a loss, or a check
 * stopped them.
 */
export async function tryRandomChanges(
  pair: DatabasePair,
  parameters: { readonly numRuns: number; readonly seed?: number },
): Promise<number> {
  let applied = 0;
  const numbers = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
  const property = fc.asyncProperty(numbers, async (picks) => {
    if (await tryRandomChange(pair, picks)) applied += 1;
  });
  await fc.assert(property, { ...parameters, endOnFailure: true });
  return applied;
}

async function tryRandomChange(
  { one, other }: DatabasePair,
  picks: readonly number[],
): Promise<boolean> {
  const { base: sql, rows, wanted } = randomChange("postgres", pickFrom(picks));
  expect([await define(one, sql), await define(other, wanted)]).toEqual([true, true]);
  await one.query(rows);
  const base = identify(await introspectScratch(one), undefined);
  const hints = renameHints(wanted, "postgres");
  const target = identify(await introspectScratch(other), base, hints);
  const script = scriptBetween(base, target);
  if (lint(base, target, script).some(({ code }) => code === "destructive")) return false;
  const before = await read(one, base);
  const isApplied = await run(one, script);
  const after = await read(one, isApplied ? target : base);
  expect(lostValues(before, after, Object.is)).toEqual([]);
  return isApplied;
}

function read(client: pg.Client, schema: Schema): Promise<ReadonlyMap<string, readonly string[]>> {
  return valuesIn(schema, async (_schema, { name = "", parent = "" }) => {
    const table = schema.pathOf(schema.get(parent));
    const query = `SELECT coalesce("${name}"::text, 'NULL') AS v FROM ${table} ORDER BY id`;
    const { rows } = await client.query<{ v: string }>(query);
    return rows.map(({ v }) => v);
  });
}

/**
 * Runs a script with its row checks. @returns whether it completed; otherwise everything is rolled
 * back.
 */
async function run(client: pg.Client, script: Script): Promise<boolean> {
  await client.query("BEGIN");
  try {
    for (const step of script.flatMap(stepsOf)) {
      // An index that is built outside a transaction cannot be rolled back, and does not change
      // rows.
      if (typeof step === "string") await client.query(step.replace(" CONCURRENTLY", ""));
      else await refuseChangedRows(client, step);
    }
    await client.query("COMMIT");
    return true;
  } catch {
    await client.query("ROLLBACK");
    return false;
  }
}
