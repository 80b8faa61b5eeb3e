import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { variable } from "../datasets/basic-graph-pattern.js";
import { STATE_ANSWER_BYTES_MAX } from "../limits.js";
import { openRdfCodec } from "../rdf/index.js";
import { OxigraphEngine } from "../sparql/index.js";
import { jsonQuad } from "../terms/json-term.js";
import type { Quad } from "../terms/term.js";
import { memoryRepositories } from "../testing/memory-repositories.js";
import { StateService } from "./state-service.js";

const CALLER: Caller = {
  orgId: "an organization",
  kind: "person",
  authenticatedBy: "headers",
  roles: [],
  permissions: [],
};
/**
 * Ten literals of which each takes more than an eighth of an answer, because JSON escapes each
 * character as six bytes.
 */
const LONG = Array.from(
  { length: 10 },
  (_, n) => `<a:s${n}> <a:p> "${"\u0001".repeat(STATE_ANSWER_BYTES_MAX / 48)}${n}" .\n`,
);

describe("an answer that is larger than its limit", () => {
  const rdf = openRdfCodec();
  const sparql = new OxigraphEngine();
  const repositories = memoryRepositories();
  const state = new StateService({ repositories, rdf, sparql, clock: systemClock });
  const importing = (branch: string, content: string): Promise<unknown> =>
    state.import(CALLER, { branch, content, format: "n-quads", mode: "add", message: "m" });
  const bytesOf = (quads: readonly Quad[]): number => JSON.stringify(quads.map(jsonQuad)).length;
  beforeAll(() => importing("main", LONG.join("")));
  afterAll(async () => {
    await sparql[Symbol.asyncDispose]();
    await rdf[Symbol.asyncDispose]();
  });

  it("is refused when it has solutions, and the error says how to reduce them", async () => {
    const pattern = { object: variable("o") };
    await expect(state.solve(CALLER, "main", [pattern], 10)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: `The answer has more than ${STATE_ANSWER_BYTES_MAX} bytes: lower the limit, or use fewer variables`,
    });
    expect(await state.solve(CALLER, "main", [pattern], 7)).toHaveLength(7);
    expect(await state.solve(CALLER, "main", [{ subject: variable("s") }], 10)).toHaveLength(10);
  });

  it("is refused when only the number of variables makes it large", async () => {
    await importing("small", LONG.map((_, n) => `<a:s${n}> <a:p> <a:o> .\n`).join(""));
    const patterns = LONG.map((_, n) => ({
      subject: variable(`a${n}`),
      predicate: variable(`b${n}`),
      object: variable(`c${n}`),
    }));
    await expect(state.solve(CALLER, "small", patterns, 10_000)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
    });
  });

  it("ends a page before the quad that does not fit, and the next page begins with that quad", async () => {
    const first = await state.at(CALLER, "main", {}, { offset: 0, limit: 100 });
    expect([first.quads.length, first.count]).toEqual([7, 10]);
    expect(bytesOf(first.quads)).toBeLessThanOrEqual(STATE_ANSWER_BYTES_MAX);
    const second = await state.at(CALLER, "main", {}, { offset: 7, limit: 100 });
    const subjects = [...first.quads, ...second.quads].map(({ subject }) => subject.value);
    expect(subjects).toEqual(LONG.map((_, n) => `a:s${n}`));
  });

  it("ends a page of the log before the commit that does not fit, and that commit's child leads on", async () => {
    const message = "\u0001".repeat(STATE_ANSWER_BYTES_MAX / 48);
    for (const n of LONG.keys()) {
      const order = { branch: "log", format: "n-quads", mode: "replace", message } as const;
      await state.import(CALLER, { ...order, content: `<a:s${n}> <a:p> <a:o> .` });
    }
    const first = await state.log(CALLER, "log", 200);
    expect(first).toHaveLength(7);
    const second = await state.log(CALLER, first.at(-1)?.parents[0] ?? "", 200);
    expect(second).toHaveLength(3);
  });

  it("truncates a diff", async () => {
    const diff = await state.diff(CALLER, undefined, "main", 100);
    expect([diff.added.length, diff.isCut]).toEqual([7, true]);
  });

  it("is refused when a single quad is larger, because an empty page looks like the last one", async () => {
    const text = "x".repeat(STATE_ANSWER_BYTES_MAX);
    await importing("single", `<a:s> <a:p> "${text}" .`);
    const refused = {
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining("export the dataset instead") as string,
    };
    const page = state.at(CALLER, "single", {}, { offset: 0, limit: 1 });
    await expect(page).rejects.toMatchObject(refused);
    await expect(state.diff(CALLER, undefined, "single", 1)).rejects.toMatchObject(refused);
  });
});
