import { fromBinary } from "@bufbuild/protobuf";
import { MemoryService } from "@steward/protocol/grpc";
import { expect, it } from "vitest";
import { EncodedMessage } from "../../grpc/codec.js";
import { LARGE_ANSWER_BYTES } from "../../limits.js";
import { answerOf } from "./proto-answers.js";
import { responseOf } from "./proto-messages.js";

const { output: FOUND } = MemoryService.method.searchMemory;
const ASKER = { orgId: "a", signal: new AbortController().signal };

function results(count: number): object[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ entry_id: `e${String(n)}`, score: 1 - n / count, content: "x".repeat(10_000) },
    ...{ created_at: "2026-03-01T09:30:00.000Z", related_cascade_targets: ["a", "b"] },
  }));
}

it("a large answer that is encoded in parts is the same message", async () => {
  const payload = results(100);
  const answer = await answerOf(FOUND, payload, "results", ASKER);
  if (!(answer instanceof EncodedMessage)) return expect.unreachable();
  expect(fromBinary(FOUND, answer.bytes)).toEqual(responseOf(FOUND, payload, "results"));
});

it("a small answer is a message at once, without a promise", () => {
  const payload = results(Math.floor(LARGE_ANSWER_BYTES / 10_200));
  expect(answerOf(FOUND, payload, "results", ASKER)).toEqual(responseOf(FOUND, payload, "results"));
});
