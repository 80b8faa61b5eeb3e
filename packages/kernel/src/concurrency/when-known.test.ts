import { expect, it } from "vitest";
import { whenKnown } from "./when-known.js";

it("answers at once about a value that is known", () => {
  expect(whenKnown(1, (value) => value + 1)).toBe(2);
});

it("answers later about a value that is awaited", async () => {
  const answer = whenKnown(Promise.resolve(1), (value) => value + 1);
  expect(answer).toBeInstanceOf(Promise);
  await expect(answer).resolves.toBe(2);
});

it("rejects whatever is thrown, whether or not the value was known", async () => {
  const refuse = (): never => {
    throw new RangeError("no");
  };
  for (const value of [1, Promise.resolve(1)]) {
    await expect(whenKnown(value, refuse)).rejects.toThrow(RangeError);
  }
});
