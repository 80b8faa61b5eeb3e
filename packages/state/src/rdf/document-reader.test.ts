import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { type Hash, MemoryBlockStore, nQuad, type Quad, TripleStore } from "../index.js";
import type { RdfDocument } from "../ports.js";
import { DocumentReader } from "./document-reader.js";
import { caiFurerImmerman, chain, moebiusLadder, ring, upTo } from "./testing/blank-graphs.js";
import { readDocument } from "../testing/read-document.js";

function rootOf(fill: (store: TripleStore, blocks: MemoryBlockStore) => void): Hash {
  const blocks = new MemoryBlockStore(systemClock);
  const store = new TripleStore(blocks, systemClock);
  fill(store, blocks);
  return store.at(store.commit({ author: "a", message: "m" })).roots.spog;
}

function rootOfDocument({ quads, bodies }: RdfDocument): Hash {
  return rootOf((store, blocks) => {
    blocks.put(bodies);
    for (const _ of store.loading(quads));
  });
}

const ORG = "an organization";

const written = (quads: readonly Quad[]): string => quads.map(nQuad).join("");
const bytesOf = (text: string): readonly Uint8Array[] => [Buffer.from(text)];
const zeros = (count: number): string =>
  JSON.stringify({ "http://e/p": { "@list": upTo(count).map(() => 0) } });

/** How often the event loop turned during the work. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const done = work.finally(() => (isDone = true));
  for (; !isDone; turns += 1) await pause(1);
  await done;
  return turns;
}

describe("the reader of documents", () => {
  const reader = new DocumentReader();
  afterAll(() => reader[Symbol.asyncDispose]());

  it("reads several at once, beside the event loop, and what they say is what they always say", async () => {
    const documents = [
      ['<a:a> <a:b> "x"@en--ltr, 1.50, [ <a:c> <<( <a:a> <a:b> _:x )>> ] .', "turtle"],
      [`<a:a> <a:b> "${"long ".repeat(300)}", "${"other ".repeat(300)}" .`, "turtle"],
      [zeros(300), "json-ld"],
      [written(chain(1000)), "n-triples"],
      [written(ring(600)), "n-quads"],
      ["", "trig"],
    ] as const;
    const read = Promise.all(
      documents.map(([text, format]) => reader.read(ORG, bytesOf(text), format)),
    );
    // A document that is read here is read in one turn.
    expect(await turnsDuring(read)).toBeGreaterThan(documents.length);
    for (const [index, document] of (await read).entries()) {
      const [text = "", format = "trig"] = documents[index] ?? [];
      const quads = await readDocument(text, format);
      expect(rootOfDocument(document)).toBe(rootOf((store) => store.load(quads)));
    }
  });

  it("reads a document as it comes, wherever it is cut", async () => {
    const text =
      '_:x <a:é> "ä😀" . # ein Satz\n_:x <a:b> <<( <a:s> <a:p> _:y )>> <a:g> .\n<a:a> <a:b> <a:c> .';
    const bytes = Buffer.from(text);
    const whole = rootOfDocument(await reader.read(ORG, [bytes], "n-quads"));
    for (const size of [1, 2, 3, 7]) {
      const parts = async function* (): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size) {
          yield bytes.subarray(at, at + size);
          if (at % 50 === 0) await pause(0);
        }
      };
      expect(rootOfDocument(await reader.read(ORG, parts(), "n-quads"))).toBe(whole);
    }
  });

  it("refuses a document as soon as it is malformed, and takes no more of it", async () => {
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield Buffer.from("<a:a> <a:b> <a:c> .\n<a:a> a <a:c> .\n");
        await pause(1);
      }
    };
    await expect(reader.read(ORG, endless(), "n-quads")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("content: line 2, column 7") as unknown,
    });
    await expect(reader.read(ORG, [Uint8Array.of(0x3c, 0xff)], "turtle")).rejects.toMatchObject({
      message: "content: the document is not valid UTF-8",
    });
    const tooLong = `<a:a> <a:b> <a:c> .\n<a:${"a".repeat(3000)}> <a:b> <a:c> .`;
    await expect(reader.read(ORG, bytesOf(tooLong), "n-triples")).rejects.toMatchObject({
      message: expect.stringContaining("content: line 2, column 1: ") as unknown,
    });
  });

  it("tells what a document's sender fails with, and reads the next", async () => {
    const cut = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from("<a:a> <a:b> "));
      throw new Error("the line is cut");
    };
    await expect(reader.read(ORG, cut(), "n-quads")).rejects.toThrow("the line is cut");
    const { quads } = await reader.read(ORG, bytesOf("<a:a> <a:b> <a:c> ."), "n-quads");
    expect(quads.rows).toHaveLength(4);
  });

  it("says where a document is malformed", async () => {
    await expect(reader.read(ORG, bytesOf("<a:a> <a:b>\n  <c> ."), "turtle")).rejects.toMatchObject(
      {
        code: "INVALID_ARGUMENT",
        message: "content: line 2, column 3: <c> is relative, and there is no base",
        details: [{ field: "content", reason: expect.stringContaining("line 2") as unknown }],
      },
    );
  });

  it("ends at its deadline what would take too long", async () => {
    await using hasty = new DocumentReader({ documentMs: 300 });
    const poison = written(caiFurerImmerman(moebiusLadder(200)));
    await expect(hasty.read(ORG, bytesOf(poison), "n-triples")).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining("more than 300 ms (STATE_DOCUMENT_MS_MAX)") as unknown,
    });
  });

  it("ends what would take too much memory, and reads the next", async () => {
    await using small = new DocumentReader({ memoryBytesMax: 40 * 1024 * 1024 });
    await expect(small.read(ORG, bytesOf(zeros(100_000)), "json-ld")).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining("40 MiB of memory (STATE_DOCUMENT_MEMORY") as unknown,
    });
    const { quads } = await small.read(ORG, bytesOf("<a:a> <a:b> <a:c> ."), "turtle");
    expect(quads.rows).toHaveLength(4);
  });

  it("lets an organization's document pass those that wait of another one, and takes no more than may wait", async () => {
    await using busy = new DocumentReader({ waitingMax: 1 });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("<a:a> <a:b> ");
      await held;
      yield Buffer.from("<a:c> .");
    };
    const flood = [busy.read(ORG, slow(), "turtle"), busy.read(ORG, slow(), "turtle")];
    await expect(busy.read(ORG, slow(), "turtle")).rejects.toMatchObject({
      code: "OVERLOADED",
      message: "Your organization has 1 documents waiting; try again",
    });
    const { quads } = await busy.read("another", bytesOf("<a:a> <a:b> <a:c> ."), "turtle");
    expect(quads.rows).toHaveLength(4);
    release();
    expect(await Promise.all(flood)).toHaveLength(2);
  });

  it("takes no document when it is closed", async () => {
    const closed = new DocumentReader({ processesMax: 1 });
    const one = (): Promise<RdfDocument> =>
      closed.read(ORG, bytesOf("<a:a> <a:b> <a:c> ."), "turtle");
    await one();
    const waiting = Promise.allSettled([one(), one()]);
    await closed[Symbol.asyncDispose]();
    for (const result of await waiting) expect(result.status).toBe("rejected");
    await expect(one()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});
