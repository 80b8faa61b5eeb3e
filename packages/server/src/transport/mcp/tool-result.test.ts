import { DECEPTIVE_TEXT, deceptionIn } from "@steward/kernel/testing/deceptive-text.js";
import { AppError } from "@steward/kernel/errors.js";
import { expect, it } from "vitest";
import { errorResult, toolResult } from "./tool-result.js";

it("has a text in which nothing of others deceives, with the same value", () => {
  const output = { rows: [{ [DECEPTIVE_TEXT]: DECEPTIVE_TEXT }] };
  const { content, structuredContent } = toolResult(output);
  expect(structuredContent).toEqual(output);
  const [text] = content.map((part) => (part.type === "text" ? part.text : ""));
  expect(deceptionIn(text ?? "")).toEqual([]);
  expect(JSON.parse(text ?? "")).toEqual(output);
});

it("says an error without what could deceive", () => {
  const details = [{ field: DECEPTIVE_TEXT, reason: DECEPTIVE_TEXT }];
  const { content } = errorResult(new AppError("INVALID_PLAN", DECEPTIVE_TEXT, { details }), true);
  expect(deceptionIn(JSON.stringify(content.map((part) => "text" in part && part.text)))).toEqual(
    [],
  );
});
