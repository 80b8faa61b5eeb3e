import { jsonSize } from "@steward/kernel/json-size.js";
import type { QueryAnswer } from "../ports.js";
import type { AnswerRows, FromProcess } from "./query-protocol.js";

/** Characters of JSON in one message with rows, which the server parses in one turn of its event loop. */
const MESSAGE_LENGTH = 64 * 1024;

/** The messages that an answer is sent in. */
export function* answerMessages(answer: QueryAnswer): Generator<FromProcess, void> {
  if (answer.kind === "boolean") {
    yield { kind: "answered", answer };
    return;
  }
  const rows = answer.kind === "solutions" ? answer.rows : answer.quads;
  let from = 0;
  let size = 0;
  for (const [index, row] of rows.entries()) {
    size += jsonSize(row, MESSAGE_LENGTH);
    if (size < MESSAGE_LENGTH) continue;
    yield { kind: "rows", rows: rows.slice(from, index + 1) as AnswerRows };
    [from, size] = [index + 1, 0];
  }
  yield { kind: "answered", answer: withRows(answer, rows.slice(from)) };
}

/** The answer that was sent in messages. @param before the rows of the messages before the last one. */
export function answerOfMessages(before: AnswerRows, last: QueryAnswer): QueryAnswer {
  if (last.kind === "boolean") return last;
  return withRows(last, [...before, ...(last.kind === "solutions" ? last.rows : last.quads)]);
}

/** @param rows of the answer's kind. */
function withRows(
  answer: Exclude<QueryAnswer, { readonly kind: "boolean" }>,
  rows: readonly unknown[],
): QueryAnswer {
  return answer.kind === "solutions"
    ? { ...answer, rows: rows as typeof answer.rows }
    : { ...answer, quads: rows as typeof answer.quads };
}
