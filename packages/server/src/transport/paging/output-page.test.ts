import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StepExecution } from "../../plans/index.js";
import { pagedExecution, type OutputPageRequest } from "./output-page.js";

function execution(toolOutputJson: string, rowCount: number): StepExecution {
  return {
    stepResult: {
      ...{ stepId: "a", status: "completed", rowCount, attempt: 1 },
      executedAt: "2026-03-01T09:30:00.000Z",
    },
    llmContextUpdate: {
      ...{ planId: "p", stepId: "a", toolOutputJson },
      ...{ schemaAdditions: [], augmentationHints: [] },
    },
    replayed: true,
  };
}

/** A row with values whose text differs from what JSON.stringify makes of them. */
const rowText = fc
  .tuple(fc.constantFrom("1.0", "9007199254740993", "null", "1e3"), fc.string({ maxLength: 30 }))
  .map(([number, text]) => `{"n":${number},"t":${JSON.stringify(text)}}`);

describe("the pages of a step's output", () => {
  it("are the whole execution itself where nothing is limited", () => {
    const whole = execution('[ {"n":1.0} ]', 1);
    expect(pagedExecution(whole, {})).toBe(whole);
  });

  it("have each row once, in order and unchanged, whatever limits lead through them", () => {
    fc.assert(
      fc.property(
        fc.array(rowText, { maxLength: 40 }),
        fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
        fc.option(fc.integer({ min: 250, max: 600 }), { nil: undefined }),
        (rows, maxRows, maxBytes) => {
          const whole = execution(`[${rows.join(",")}]`, rows.length);
          const seen: string[] = [];
          let offset: number | undefined = 0;
          while (offset !== undefined) {
            const page = pagedExecution(whole, { offset, maxRows, maxBytes });
            const json = page.llmContextUpdate.toolOutputJson;
            if (maxBytes !== undefined) expect(json.length).toBeLessThanOrEqual(maxBytes + 2);
            if (json !== "[]") seen.push(json.slice(1, -1));
            expect(page.llmContextUpdate.augmentationHints).toHaveLength(
              page.nextOffset === undefined ? 0 : 1,
            );
            offset = page.nextOffset;
          }
          expect(seen.join(",")).toBe(rows.join(","));
        },
      ),
    );
  });

  it("are limited by the request before the step", () => {
    const whole = execution("[{},{},{},{}]", 4);
    const limited = { ...whole, outputLimits: { maxRows: 1 } };
    const rowsFor = (asked: OutputPageRequest) => {
      const { llmContextUpdate, nextOffset } = pagedExecution(limited, asked);
      return [llmContextUpdate.toolOutputJson, nextOffset];
    };
    expect(rowsFor({})).toEqual(["[{}]", 1]);
    expect(rowsFor({ maxRows: undefined, offset: 3 })).toEqual(["[{}]", undefined]);
    expect(rowsFor({ maxRows: 3 })).toEqual(["[{},{},{}]", 3]);
    expect(rowsFor({ offset: 9 })).toEqual(["[]", undefined]);
  });

  it("cut the long values of a row that alone is too large, and say so", () => {
    const whole = execution(`[{"id":1,"text":"${"x".repeat(5000)}"}]`, 1);
    const { toolOutputJson, augmentationHints } = pagedExecution(whole, {
      maxBytes: 1024,
    }).llmContextUpdate;
    expect(toolOutputJson.length).toBeLessThan(1100);
    expect(JSON.parse(toolOutputJson)).toMatchObject([{ id: 1 }]);
    expect(augmentationHints.join()).toContain("Row 1 was too large");
  });
});
