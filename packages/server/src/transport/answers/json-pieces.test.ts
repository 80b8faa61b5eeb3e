import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ANSWER_PIECE_BYTES } from "../limits.js";
import { jsonPieces } from "./json-pieces.js";

const entry = z.object({
  id: z.string(),
  score: z.number().nullable(),
  note: z.string().exactOptional(),
  more: z.record(z.string(), z.unknown()).optional(),
});
const answer: z.ZodType = z.object({
  data: z
    .object({
      entries: z.array(entry).readonly(),
      either: z.union([z.object({ text: z.string() }), z.object({ list: z.array(z.string()) })]),
      later: z.lazy(() => z.array(entry)).exactOptional(),
      cursor: z.string().exactOptional(),
    })
    .describe("The payload"),
});

/** A text that is longer than a piece, whose characters need escapes or pairs of surrogates. */
const long = fc
  .string({ unit: "binary", minLength: 1, maxLength: 5 })
  .map((text) => text.repeat(Math.ceil((2 * ANSWER_PIECE_BYTES) / text.length)));
const texts = fc.oneof({ weight: 5, arbitrary: fc.string({ unit: "binary" }) }, long);
const entries = fc.array(
  fc.record(
    {
      ...{ id: texts, score: fc.option(fc.integer()), note: texts, unknown: texts },
      more: fc.dictionary(fc.string(), texts, { maxKeys: 3 }),
    },
    { requiredKeys: ["id", "score"] },
  ),
  { maxLength: 8 },
);
const answers = fc.record({
  data: fc.record(
    {
      entries,
      either: fc.oneof(fc.record({ text: texts }), fc.record({ list: fc.array(texts) })),
      later: entries,
      cursor: texts,
    },
    { requiredKeys: ["entries", "either"] },
  ),
});

describe("the pieces of an answer's JSON", () => {
  it("are together what JSON.stringify makes of what the schema makes of it", () => {
    fc.assert(
      fc.property(answers, (value) => {
        const pieces = [...jsonPieces(value, answer)];
        expect(pieces.join("")).toBe(JSON.stringify(z.encode(answer, value)));
      }),
      { numRuns: 50 },
    );
  });

  it("are together the JSON of a value without a schema", () => {
    fc.assert(
      fc.property(answers, (value) => {
        expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value));
      }),
      { numRuns: 50 },
    );
  });

  it("are none of them much larger than a piece, however long a text or a list is", () => {
    const text = "x".repeat(10 * ANSWER_PIECE_BYTES);
    const many = Array.from({ length: 20_000 }, (_, n) => ({ id: `e${String(n)}`, score: n }));
    const value = { data: { entries: many, either: { text }, cursor: text } };
    const sizes = [...jsonPieces(value, answer)].map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(ANSWER_PIECE_BYTES + 2);
  });

  it.each([
    ["a member that is missing", { entries: [] }],
    ["a member that is undefined", { entries: [], either: { text: "" }, cursor: undefined }],
    ["an item of another type", { entries: ["x"], either: { text: "" } }],
  ])("end with an error at what the schema does not describe: %s", (_of, data) => {
    const value = { data: { later: [{ id: "x".repeat(ANSWER_PIECE_BYTES), score: 1 }], ...data } };
    expect(() => z.encode(answer, value)).toThrow(z.core.$ZodError);
    expect(() => [...jsonPieces(value, answer)]).toThrow(z.core.$ZodError);
  });
});
