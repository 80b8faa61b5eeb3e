import { expect, it } from "vitest";
import type { QueryAnswer } from "../ports.js";
import { answerMessages, answerOfMessages } from "./answer-messages.js";
import { type AnswerRows, encodeMessage } from "./query-protocol.js";

const value = { type: "literal", value: "x".repeat(100) } as const;
const BINDINGS = Array.from({ length: 5000 }, (_, n) => ({ [`v${n}`]: value }));
const QUADS = BINDINGS.map(() => ({ subject: value, predicate: value, object: value }));

it.each<QueryAnswer>([
  { kind: "solutions", variables: ["v0"], rows: BINDINGS },
  { kind: "solutions", variables: ["v0"], rows: [] },
  { kind: "quads", quads: QUADS },
  { kind: "boolean", value: true },
])("an answer of the kind $kind is sent in messages that take little time to parse", (answer) => {
  const before: AnswerRows[number][] = [];
  let found: QueryAnswer | undefined;
  for (const message of answerMessages(answer)) {
    expect(encodeMessage(message).length).toBeLessThan(100_000);
    expect(found).toBeUndefined();
    if (message.kind === "rows") before.push(...message.rows);
    if (message.kind === "answered") {
      found = answerOfMessages(before as AnswerRows, message.answer);
    }
  }
  expect(found).toEqual(answer);
});
