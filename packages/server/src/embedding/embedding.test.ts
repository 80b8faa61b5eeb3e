import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CheckedProvider,
  EmbeddingError,
  HashProvider,
  probeProvider,
  ZeroProvider,
  type EmbeddingProvider,
} from "./index.js";

/** Longer than any operation of these tests. */
const PATIENCE_MS = 60_000;

describe("ZeroProvider", () => {
  it("returns zeros of the configured length for any text (Contract §4.6 rule 1)", async () => {
    await expect(new ZeroProvider(768).embed()).resolves.toEqual(new Float32Array(768));
    const many = await new ZeroProvider(3).embedMany(["a", "b"]);
    expect(many).toEqual([new Float32Array(3), new Float32Array(3)]);
    expect(new ZeroProvider(768).dimension()).toBe(768);
  });
});

describe("HashProvider", () => {
  it("gives the same text the same vector, whatever ran before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        const first = await new HashProvider(64).embed(text);
        expect(await new HashProvider(64).embed(text)).toEqual(first);
      }),
    );
  });

  it("pins a vector, so that stored ones stay comparable across releases", async () => {
    const vector = await new HashProvider(8).embed("Orders of ACME");
    expect([...vector].map((component) => component.toFixed(6))).toEqual(PINNED);
  });

  it("pins every bit, for characters of one and of two UTF-16 code units", async () => {
    const vector = await new HashProvider(64).embed("Überweisung 漢字 😀𐐷 to Ada: 20 € to Ada");
    const digest = createHash("sha256").update(Buffer.from(vector.buffer)).digest("hex");
    expect(digest.slice(0, 16)).toBe("9086de57f8a88b34");
  });

  it("has norm 1, or 0 for a text without letters and digits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        const vector = await new HashProvider(64).embed(text);
        const norm = Math.hypot(...vector);
        const expected = /[\p{L}\p{M}\p{N}]/u.test(text.normalize("NFKC").toLowerCase()) ? 1 : 0;
        // Opposite features of equal weight can cancel out to zero.
        expect([expected, 0].some((value) => Math.abs(norm - value) < 1e-6)).toBe(true);
      }),
    );
  });

  it("puts texts that share words closer than texts that do not", async () => {
    const provider = new HashProvider(768);
    const query = await provider.embed("unpaid invoices");
    const near = await provider.embed('{"query":"SELECT * FROM Invoices WHERE status=\'unpaid\'"}');
    const far = await provider.embed('{"query":"SELECT name FROM warehouse_locations"}');
    expect(dot(query, near)).toBeGreaterThan(dot(query, far) + 0.1);
  });

  it("forgives case, composition and a small misspelling", async () => {
    const provider = new HashProvider(768);
    const right = await provider.embed("Café customers");
    expect(dot(right, await provider.embed("CAFE\u0301 CUSTOMERS"))).toBeCloseTo(1, 6);
    expect(dot(right, await provider.embed("café custmers"))).toBeGreaterThan(0.5);
  });
});

describe("CheckedProvider", () => {
  it("passes right vectors through", async () => {
    const checked = new CheckedProvider(answering(Float32Array.of(1, 2)), 2);
    await expect(checked.embed("a")).resolves.toEqual(Float32Array.of(1, 2));
    await expect(checked.embedMany(["a", "b"])).resolves.toHaveLength(2);
  });

  it("refuses another length than the configured one and names the fix", async () => {
    const checked = new CheckedProvider(answering(new Float32Array(1536)), 768);
    await expect(checked.embed("a")).rejects.toThrow(/length 1536.*set it to 1536/);
    await expect(checked.embed("a")).rejects.toMatchObject({ reason: "dimension_mismatch" });
  });

  it.each([NaN, Infinity, -Infinity])("refuses a vector that holds %d", async (component) => {
    const checked = new CheckedProvider(answering(Float32Array.of(0, component)), 2);
    await expect(checked.embed("a")).rejects.toMatchObject({ reason: "malformed_response" });
  });

  it("refuses a batch with a vector too few", async () => {
    const short = Object.assign(answering(Float32Array.of(1, 2)), {
      embedMany: () => Promise.resolve([Float32Array.of(1, 2)]),
    });
    const checked = new CheckedProvider(short, 2);
    await expect(checked.embedMany(["a", "b"])).rejects.toMatchObject({
      reason: "malformed_response",
    });
  });

  it("turns whatever a provider throws into an EmbeddingError that keeps it as the cause", async () => {
    const cause = new Error("socket hang up");
    const checked = new CheckedProvider(rejecting(cause), 2);
    await expect(checked.embed("a")).rejects.toMatchObject({ reason: "transport", cause });
  });

  it("rejects with the signal's reason when that is aborted", async () => {
    const reason = new Error("gone");
    const checked = new CheckedProvider(answering(Float32Array.of(1, 2)), 2);
    await expect(checked.embed("a", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("probeProvider", () => {
  it("finds a provider that answers ready", async () => {
    const provider = new CheckedProvider(new ZeroProvider(3), 3);
    await expect(probeProvider(provider, PATIENCE_MS)).resolves.toEqual({ kind: "ready" });
  });

  it("lets the start go on when the provider cannot be asked now", async () => {
    const error = new EmbeddingError("transport", "answered 503");
    await expect(probeProvider(rejecting(error), PATIENCE_MS)).resolves.toEqual({
      kind: "unreachable",
      error,
    });
  });

  it("does not hold up the start for a provider that does not answer", async () => {
    const silent: EmbeddingProvider = {
      embed: (_text, { signal } = {}) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            reject(new Error("left"));
          });
        }),
      dimension: () => 2,
    };
    await expect(probeProvider(silent, 1)).resolves.toMatchObject({ kind: "unreachable" });
  });

  it("stops the start when the model's vectors have another length", async () => {
    const provider = new CheckedProvider(new ZeroProvider(4), 3);
    await expect(probeProvider(provider, PATIENCE_MS)).rejects.toMatchObject({
      reason: "dimension_mismatch",
    });
  });
});

function answering(vector: Float32Array): EmbeddingProvider {
  return { embed: () => Promise.resolve(vector), dimension: () => vector.length };
}

function rejecting(error: Error): EmbeddingProvider {
  return { embed: () => Promise.reject(error), dimension: () => 2 };
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

/** The components of `embed("Orders of ACME")` at dimension 8. */
const PINNED: readonly string[] = [
  "0.000000",
  "-0.291730",
  "-0.145865",
  "0.583460",
  "0.145865",
  "-0.437595",
  "0.000000",
  "-0.583460",
];
