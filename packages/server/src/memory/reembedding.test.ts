import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EmbeddingError, HashProvider } from "../embedding/index.js";
import { MemoryRoom, reembedRoom, TestDirectory } from "./testing/memory-room.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OLD = new HashProvider(64);

/** A store of 200 entries with vectors of 64 components, closed. */
let directory: TestDirectory;

beforeEach(async () => {
  directory = new TestDirectory();
  await using room = await MemoryRoom.open(directory, OLD);
  for (let number = 0; number < 200; number += 1) {
    await room.service.addEntry(ORG, { sessionId: "s", content: `"invoice ${number}"` }, anyone());
  }
});

afterEach(() => {
  directory[Symbol.dispose]();
});

describe("re-embedding", () => {
  it("changes every vector to the new model's, and the store takes no other afterwards", async () => {
    const provider = new CountingProvider();
    expect(await reembedRoom(directory, provider)).toEqual({ done: 200, total: 200 });
    expect(provider.embedded).toBe(200);
    {
      await using room = await MemoryRoom.open(directory, provider);
      expect(await scoresOf(room)).toEqual(await expectedScores(provider));
      expect(await room.index.stats()).toEqual({ entries: 200, quarantined: 0 });
    }
    await expect(MemoryRoom.open(directory, OLD)).rejects.toThrow(/steward memory reembed/);
  });

  it("goes on where it was interrupted, and the old vectors are searched until it is done", async () => {
    const provider = new CountingProvider();
    provider.failAfter = 130;
    await expect(reembedRoom(directory, provider)).rejects.toThrow("answered 503");
    {
      await using room = await MemoryRoom.open(directory, OLD);
      expect(await scoresOf(room)).toEqual(await expectedScores(OLD));
      const draft = { sessionId: "s", content: '"a late invoice"' };
      await room.service.addEntry(ORG, draft, anyone());
    }
    provider.failAfter = Infinity;
    provider.embedded = 0;
    expect(await reembedRoom(directory, provider)).toEqual({ done: 201, total: 201 });
    expect(provider.embedded).toBe(201 - 128);
    await using room = await MemoryRoom.open(directory, provider);
    expect(await room.index.stats()).toEqual({ entries: 201, quarantined: 0 });
    const [late] = await room.service.search({ query: '"a late invoice"' }, anyone());
    expect(late?.score).toBe(1);
  });

  it("has nothing to do the second time", async () => {
    const provider = new CountingProvider();
    await reembedRoom(directory, provider);
    provider.embedded = 0;
    expect(await reembedRoom(directory, provider)).toEqual({ done: 200, total: 200 });
    expect(provider.embedded).toBe(0);
  });
});

/** Hashed words in fewer components; can fail after so many texts. */
class CountingProvider extends HashProvider {
  embedded = 0;
  failAfter = Infinity;

  constructor() {
    super(32);
  }

  override embed(text: string): Promise<Float32Array> {
    if (this.embedded >= this.failAfter) {
      return Promise.reject(new EmbeddingError("transport", "answered 503"));
    }
    this.embedded += 1;
    return super.embed(text);
  }
}

const QUERY = "invoice 77";

async function scoresOf(room: MemoryRoom): Promise<readonly (readonly [string, number])[]> {
  const results = await room.service.search({ query: QUERY, topK: 1 }, anyone());
  return results.map(({ content, score }) => [content, score]);
}

/** The best score that the vectors of one provider give. */
async function expectedScores(
  provider: HashProvider,
): Promise<readonly (readonly [string, number])[]> {
  const content = '"invoice 77"';
  const [query, stored] = await Promise.all([provider.embed(QUERY), provider.embed(content)]);
  const dot = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const score = dot(query, stored) / Math.sqrt(dot(query, query) * dot(stored, stored));
  return [[content, Math.min(1, score)]];
}

/** The signal of a caller who stays. */
function anyone(): AbortSignal {
  return new AbortController().signal;
}
