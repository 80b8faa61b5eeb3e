import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEventStream } from "./event-stream.js";
import type { StreamMessage } from "./event-stream.js";

/** The events read when the text arrives in pieces cut at these byte offsets. */
async function read(text: string, cuts: readonly number[] = []): Promise<StreamMessage[]> {
  const bytes = new TextEncoder().encode(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ends.forEach((end, index) => {
        controller.enqueue(bytes.subarray(ends[index - 1] ?? 0, end));
      });
      controller.close();
    },
  });
  return collect(readEventStream(body));
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("an event stream", () => {
  it("gives id, event and data of each message, and skips comments and other fields", async () => {
    const text =
      ": hello\nretry: 5\nid: 1\nevent: PlanCreated\ndata: {\ndata:  }\n\n:\n\nid: 2\n\ndata\n\n";
    expect(await read(text)).toEqual([
      { id: "1", event: "PlanCreated", data: "{\n }" },
      { data: "" },
    ]);
  });

  it("leaves out a message that the end of the stream cuts off", async () => {
    expect(await read("data: 1\n\ndata: 2\n")).toEqual([{ data: "1" }]);
  });

  it("reads the same whatever ends the lines and wherever the chunks are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, "")),
          {
            maxLength: 5,
          },
        ),
        fc.constantFrom("\n", "\r", "\r\n"),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (texts, end, cuts) => {
          const stream = texts.map((text) => `id: 7${end}data: ${text}${end}${end}`).join("");
          const messages = texts.map((data) => ({ id: "7", data }));
          expect(await read(`${stream}:${end}`, cuts)).toEqual(messages);
        },
      ),
    );
  });
});
