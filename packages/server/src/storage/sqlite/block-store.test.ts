import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../kernel/clock.js";
import { hashOf, quad, text, iri, TripleStore } from "../../state/index.js";
import { describeBlockStore } from "../../state/testing/block-store-battery.js";
import { openSqliteBlockStore } from "./block-store.js";

describeBlockStore("a store of blocks in SQLite", (clock) =>
  openSqliteBlockStore(":memory:", clock),
);

describe("a store of blocks in a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "steward-state-"));
  const path = join(folder, "state.db");
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it("says that it cannot open what is no database", () => {
    expect(() => openSqliteBlockStore(join(folder, "none", "state.db"), systemClock)).toThrow(
      expect.objectContaining({ code: "STORE_UNAVAILABLE" }),
    );
  });
});
