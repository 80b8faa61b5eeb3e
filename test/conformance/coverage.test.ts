import { describe, expect, it } from "vitest";
import { processScenarios } from "./process-scenarios/index.js";
import { REQUIREMENTS } from "./requirements.js";
import { scenarios } from "./scenarios/index.js";

const all = [...scenarios, ...processScenarios];

describe("the manifest", () => {
  it("has no id twice", () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it("has no requirement without a scenario", () => {
    const cited = new Set(all.flatMap(({ cites }) => cites));
    const uncited = REQUIREMENTS.filter(({ id }) => !cited.has(id));
    expect(uncited.map(({ id, source, text }) => `${id} (${source}): ${text}`)).toEqual([]);
  });

  it("has every requirement that a scenario cites", () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id));
    expect(all.flatMap(({ cites }) => cites).filter((id) => !known.has(id))).toEqual([]);
  });

  it("is shown by scenarios that cite something and have names of their own", () => {
    expect(all.filter(({ cites }) => cites.length === 0).map(({ title }) => title)).toEqual([]);
    const titles = all.map(({ title }) => title);
    expect(titles).toEqual([...new Set(titles)]);
  });
});
