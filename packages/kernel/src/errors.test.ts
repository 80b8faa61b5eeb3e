import { expect, it } from "vitest";
import { AppError, invalidField } from "./errors.js";
import { ERROR_TEXT_LENGTH_MAX } from "./limits.js";

it("an error repeats no more of a request than its receiver can read", () => {
  const { message, details } = invalidField("x".repeat(20_000), "y".repeat(20_000));
  const texts = [message, ...details.flatMap(({ field, reason }) => [field, reason])];
  expect(texts.map(({ length }) => length)).toEqual(texts.map(() => ERROR_TEXT_LENGTH_MAX));
  expect(texts.every((text) => text.endsWith("…"))).toBe(true);
});

it("an error's text is cut between characters", () => {
  const { message } = new AppError("NOT_FOUND", `${"x".repeat(ERROR_TEXT_LENGTH_MAX - 2)}😀😀`);
  expect(message).toBe(`${"x".repeat(ERROR_TEXT_LENGTH_MAX - 2)}…`);
});
