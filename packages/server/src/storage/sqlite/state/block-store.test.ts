import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { hashOf, quad, text, iri, TripleStore } from "@steward/state";
import { describeBlockStore } from "@steward/state/testing/block-store-battery.js";
import { LOG_BYTES_KEPT } from "../connection.js";
import { openSqliteBlockStore } from "./block-store.js";

describeBlockStore("a store of blocks in SQLite", (clock) =>
  openSqliteBlockStore(":memory:", clock),
);

describe("a store of blocks in a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "steward-state-"));
  const path = join(folder, "state.db");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("keeps commits and journals over a restart, and names a damaged block", () => {
    const one = quad(iri("http://e/a"), iri("http://e/p"), text("one"));
    const two = quad(iri("http://e/a"), iri("http://e/p"), text("two"));
    {
      using store = openSqliteBlockStore(path, systemClock);
      const triples = new TripleStore(store, systemClock);
      triples.add(one);
      triples.commit({ author: "Ada", message: "one" });
      triples.add(two);
      triples.sync();
    }
    {
      using store = openSqliteBlockStore(path, systemClock);
      const triples = new TripleStore(store, systemClock);
      expect([triples.now.has(one), triples.now.has(two), triples.now.size]).toEqual([
        true,
        true,
        2,
      ]);
    }
    const db = new DatabaseSync(path);
    db.exec("UPDATE state_blocks SET bytes = x'00', is_deflated = 1");
    db.close();
    using store = openSqliteBlockStore(path, systemClock);
    const head = store.ref("heads/main") ?? "";
    expect(() => new TripleStore(store, systemClock)).toThrow(
      expect.objectContaining({ code: "STATE_CORRUPTED", message: expect.stringContaining(head) }),
    );
    expect(store.get(hashOf(Buffer.from("never")))).toBeUndefined();
  });

  it("compresses small commits when it sweeps, and reads the same blocks as before", () => {
    const file = join(folder, "sweep.db");
    using store = openSqliteBlockStore(file, systemClock);
    const triples = new TripleStore(store, systemClock);
    for (let n = 0; n < 300; n++) {
      triples.add(quad(iri(`http://example.org/s${n}`), iri("http://example.org/p"), text(`${n}`)));
    }
    triples.commit({ author: "Ada", message: "many alike" });
    using db = new DatabaseSync(file);
    const size = db.prepare("SELECT sum(length(bytes)) AS size FROM state_blocks");
    const before = size.get() as { size: number };
    const blocks = (): readonly (readonly [string, string])[] =>
      [...store.hashes()].map((hash) => [hash, hashOf(store.get(hash) ?? Buffer.alloc(0))]);
    const stored = blocks();
    store.sweep(new Set(store.hashes()), 0);
    store.sweep(new Set(store.hashes()), 0);
    const after = size.get() as { size: number };
    expect(after.size).toBeLessThan(before.size / 3);
    expect(blocks()).toEqual(stored);
    expect(stored.every(([hash, found]) => hash === found)).toBe(true);
  });

  it("gives back the size of its write-ahead log after a large commit", () => {
    const file = join(folder, "large.db");
    using store = openSqliteBlockStore(file, systemClock);
    const large = randomBytes(LOG_BYTES_KEPT);
    const hash = hashOf(large);
    store.move({ name: "heads/main", expected: undefined, next: hash }, new Map([[hash, large]]));
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(LOG_BYTES_KEPT);
    using other = new DatabaseSync(file);
    other.exec("PRAGMA wal_checkpoint(PASSIVE)");
    store.move({ name: "heads/other", expected: undefined, next: hash }, new Map());
    expect(statSync(`${file}-wal`).size).toBe(LOG_BYTES_KEPT);
  });

  it("says that it cannot open what is no database", () => {
    expect(() => openSqliteBlockStore(join(folder, "none", "state.db"), systemClock)).toThrow(
      expect.objectContaining({ code: "STORE_UNAVAILABLE" }),
    );
  });
});
