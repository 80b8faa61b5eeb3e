import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measuredSteps, STEPS } from "./measured-steps.js";

/**
 * What a step may cost, so that no feature makes it dearer unseen: a change that needs more changes the figure
 * here, and says why in its commit. `bench/step-cost` measures the time beside a fixed commit.
 */
const DERIVED = [
  ...["usage_events", "memory_entries", "memory_entry_vectors"],
  ...["memory_text", "memory_text_docsize"],
];
/** Rows that are packed into blocks, 256 at a time. */
const PACKED = new Set(["audit_entries", "audit_personal_values", "audit_blocks"]);

/** Statements of the step at an index, and the most that such a step may cost. */
const BUDGETS = [
  {
    kind: "reads, each bound to the one before",
    template: (index: number) =>
      index === 0
        ? "SELECT id, name FROM items WHERE id = 1"
        : `SELECT id, name FROM items WHERE id = {{step.s${String(index - 1)}.output[0].id}} + 1`,
    changes: 11,
    most: { storeBytes: 3700, encodings: 8, decodings: 2, allocatedKb: 115 },
  },
  {
    kind: "writes",
    template: (index: number) => `UPDATE items SET name = 'n${String(index)}' WHERE id = 1`,
    // The claim of a write is durable before it runs.
    changes: 21,
    most: { storeBytes: 3800, encodings: 10, decodings: 3, allocatedKb: 113 },
  },
];
/** What allocations may differ by between machines. */
const MARGIN = 1.15;

describe("what a step costs", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "steward-step-cost-"));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it.each(BUDGETS)(
    "in a plan of ten $kind",
    async ({ template, changes, most }) => {
      const { rowsAPlan, ...cost } = await measuredSteps(directory, template);
      const counted = Object.entries(rowsAPlan).filter(([table]) => !PACKED.has(table));
      expect(Object.fromEntries(counted)).toEqual({
        ...{ plans: 1, plan_definitions: 1, plan_changes: changes, audit_records: changes },
        ...Object.fromEntries(DERIVED.map((table) => [table, STEPS])),
      });
      expect(cost.storeBytes).toBeLessThanOrEqual(most.storeBytes);
      expect(cost.encodings).toBeLessThanOrEqual(most.encodings);
      expect(cost.decodings).toBeLessThanOrEqual(most.decodings);
      expect(cost.allocatedKb).toBeLessThanOrEqual(most.allocatedKb * MARGIN);
    },
    120_000,
  );
});
