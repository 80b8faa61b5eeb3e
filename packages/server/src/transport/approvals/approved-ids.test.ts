import { expect, it } from "vitest";
import { withApprovedIds } from "./approved-ids.js";

const RESOLVES = {
  from: { names: "commit", idIn: "from" },
  branch: { names: "branch", idIn: "expected", default: "main" },
  plan_id: { names: "plan" },
} as const;
const name = (parameter: string, id: string | null) => ({
  ...{ parameter, id, name: "draft", names: "commit" },
});

it("an approved operation takes ids in the place of names, and expects the approved commit of its branch", () => {
  const input = { from: "draft", message: "m" };
  const resolved = [name("from", "one"), name("branch", "two"), name("plan_id", "3")];
  expect(withApprovedIds(input, RESOLVES, resolved)).toEqual({
    ...{ from: "one", message: "m", expected: "two" },
  });
  expect(withApprovedIds(input, RESOLVES, [name("branch", null)])).toEqual({
    ...{ ...input, expected: null },
  });
});

it("an id that the caller expects stays, so that the effect refuses another one", () => {
  const input = { from: "draft", expected: "other" };
  expect(withApprovedIds(input, RESOLVES, [name("branch", "two")])).toBe(input);
});

it("an operation without an approval keeps its parameters", () => {
  const input = { from: "draft" };
  expect(withApprovedIds(input, RESOLVES, undefined)).toBe(input);
  expect(withApprovedIds(input, undefined, [name("from", "one")])).toBe(input);
});
