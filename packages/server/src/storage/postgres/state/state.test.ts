import { freshDatabase, type TestDatabase } from "@steward/test-postgres";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import {
  checkedBlock,
  checkStore,
  type Hash,
  iri,
  log,
  MemoryBlockStore,
  pull,
  quad,
  type Quad,
  resolve,
  text,
  TripleStore,
} from "@steward/state";
import type { OpenStore, Origin, Repositories } from "@steward/state/ports";
import { Database } from "../database.js";
import { migrate } from "../migrate.js";
import { openStateNode, type StateNode, type StateNodeOptions } from "../testing/state-node.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const note = { author: "ada", message: "a change" };

describe("the state on PostgreSQL", () => {
  let database: TestDatabase;
  let folder: string;
  let opened: StateNode[];
  beforeEach(async () => {
    database = await freshDatabase();
    await using db = new Database(database.url);
    await migrate(db);
    folder = mkdtempSync(join(tmpdir(), "steward-pg-state-"));
    opened = [];
  }, 60_000);
  afterEach(async () => {
    for (const node of opened) await node[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function node(name: string, options?: StateNodeOptions): Repositories {
    const made = openStateNode(database.url, join(folder, name), options);
    opened.push(made);
    return made.repositories;
  }

  it("is one history for nodes that commit to a branch at once", async () => {
    const nodes = [node("a"), node("b")];
    const added = await Promise.all(
      nodes.flatMap((each, one) =>
        Array.from({ length: 10 }, (_, count) => commit(each, [named(`s${one}-${count}`)])),
      ),
    );
    for (const each of nodes) {
      const commits = await each.read(ORG, ({ store }) =>
        [...log(store, resolve(store, "main"))].map(({ hash }) => hash),
      );
      expect([...commits].sort()).toEqual([...added].sort());
      expect(await sizeOf(each)).toBe(20);
    }
  });

  it("has a move happen from where it was expected, and on one node only", async () => {
    const [a, b] = [node("a"), node("b")];
    const first = await commit(a, [named("x")]);
    const take = (each: Repositories, name: string): Promise<boolean> =>
      each.write(ORG, ({ store }) =>
        store.move({ name, expected: undefined, next: first }, new Map()),
      );
    expect((await Promise.all([take(a, "tags/v1"), take(b, "tags/v1")])).sort()).toEqual([
      false,
      true,
    ]);
    expect(await b.read(ORG, ({ store }) => store.refs())).toEqual([
      { name: "heads/main", commit: first },
      { name: "tags/v1", commit: first },
    ]);
  });

  it("takes several moves together or not at all", async () => {
    const [a, b] = [node("a"), node("b")];
    await commit(a, [named("x")]);
    let tries = 0;
    await a.write(ORG, ({ store }) => {
      tries += 1;
      for (const branch of ["one", "two"]) add(store, branch, [named(`in-${branch}`)]);
    });
    expect(tries).toBe(1);
    await expect(
      b.write(ORG, ({ store }) => {
        add(store, "one", [named("more")]);
        throw new Error("not after all");
      }),
    ).rejects.toThrow("not after all");
    expect([await sizeOf(a, "one"), await sizeOf(b, "two")]).toEqual([1, 1]);
  });

  it("keeps more than one statement carries, with long texts, and gives it to a new node", async () => {
    const a = node("a");
    const quads = Array.from({ length: 20_000 }, (_, n) => named(`s${n}`, String(n)));
    const long = Array.from({ length: 12 }, (_, n) => named("long", `${n}`.repeat(700_000)));
    await commit(a, [...quads, ...long]);
    const b = node("b");
    const ends = await b.read(ORG, ({ store }) => {
      const { now } = new TripleStore(store, systemClock);
      return [...now.match({ subject: iri("e:long") })].map(({ object }) => object.value.length);
    });
    expect(ends.sort((x, y) => x - y)).toEqual([
      ...Array<number>(10).fill(700_000),
      1_400_000,
      1_400_000,
    ]);
    expect(await sizeOf(b)).toBe(20_012);
    expect(await b.check(ORG)).toEqual([]);
    const [row] = await database.query(
      "SELECT avg(octet_length(bytes))::float8 AS size FROM state_blocks WHERE is_deflated",
    );
    expect(row?.["size"]).toBeLessThan(2500);
  });

  it("keeps what an interrupted pull has brought complete", async () => {
    await commit(
      node("a"),
      Array.from({ length: 1000 }, (_, n) => named(`s${n}`, `${n} `.repeat(1 + (n % 200)))),
    );
    const { origin } = lastOf(opened);
    const refs = await origin.refs(ORG);
    const commits = refs?.refs.map(({ commit: hash }) => hash) ?? [];
    const clone = new MemoryBlockStore(systemClock);
    for (let batches = 1; ; batches++) {
      let left = batches;
      const failing = through(origin, {
        blocks: (orgId, hashes) => {
          if (left-- === 0) throw new Error("cut");
          return origin.blocks(orgId, hashes);
        },
      });
      const whole = await pull(failing, ORG, clone, commits).then(
        () => true,
        () => false,
      );
      // Every stored block has its children stored too, so another pull requests no block.
      let asked = 0;
      const scratch = new MemoryBlockStore(systemClock);
      for (const hash of clone.hashes()) scratch.put(new Map([[hash, checkedBlock(clone, hash)]]));
      const counting = through(origin, {
        blocks: (orgId, hashes) => {
          asked += hashes.filter((hash) => clone.has(hash)).length;
          return origin.blocks(orgId, hashes);
        },
      });
      await pull(counting, ORG, scratch, commits);
      expect(asked).toBe(0);
      for (const [index, hash] of commits.entries()) {
        scratch.move({ name: `heads/${index}`, expected: undefined, next: hash }, new Map());
      }
      expect(checkStore(scratch)).toEqual([]);
      if (whole) break;
    }
  });

  it("tells a lost answer from a lost race", async () => {
    let lost = 0;
    const a = node("a", {
      through: (origin) =>
        through(origin, {
          move: async (...args) => {
            const outcome = await origin.move(...args);
            lost += 1;
            return lost % 2 === 1 ? "unknown" : outcome;
          },
        }),
    });
    for (let count = 0; count < 4; count++) await commit(a, [named(`s${count}`)]);
    const length = await a.read(ORG, ({ store }) => [...log(store, resolve(store, "main"))].length);
    expect([length, await sizeOf(a)]).toEqual([4, 4]);
  });

  it("names a block that is lost or damaged, and reads on where it is not needed", async () => {
    await commit(
      node("a"),
      Array.from({ length: 3000 }, (_, n) => named(`s${n}`)),
    );
    const posg = await node("b").read(
      ORG,
      ({ store }) => new TripleStore(store, systemClock).now.roots.posg,
    );
    const where = `org_id = '${ORG}' AND hash = '\\x${posg}'`;
    const [kept] = await database.query(`DELETE FROM state_blocks WHERE ${where} RETURNING bytes`);
    const fresh = node("c");
    await expectOnlyLost(fresh, posg, "missing");
    const junk = "'\\x00ff00ff'";
    await database.query(
      `INSERT INTO state_blocks VALUES ('${ORG}', '\\x${posg}', 0, false, ${junk})`,
    );
    await expectOnlyLost(node("d"), posg, "damaged");
    // Once the block is restored, every node finds it, even a node whose clone lacks it.
    const bytes = `'\\x${Buffer.from(kept?.["bytes"] as Buffer).toString("hex")}'`;
    await database.query(
      `UPDATE state_blocks SET bytes = ${bytes}, is_deflated = true WHERE ${where}`,
    );
    for (const each of [fresh, node("d")]) {
      expect(await each.read(ORG, byPredicate)).toBe(3000);
      expect(await each.check(ORG)).toEqual([]);
    }
  });

  it("costs only another pull when a clone is deleted or damaged", async () => {
    const hash = await commit(
      node("a"),
      Array.from({ length: 3000 }, (_, n) => named(`s${n}`)),
    );
    await node("b").read(ORG, byPredicate);
    const clones = join(folder, "b");
    for (const left of [undefined, "not a database".repeat(1000), ""]) {
      await opened.pop()?.[Symbol.asyncDispose]();
      const [name = ""] = readdirSync(clones);
      rmSync(clones, { recursive: true });
      mkdirSync(clones);
      if (left !== undefined) writeFileSync(join(clones, name), left);
      const again = node("b");
      expect(await sizeOf(again)).toBe(3000);
      expect(await again.read(ORG, ({ store }) => resolve(store, "main"))).toBe(hash);
    }
  });

  it("throws a damaged clone away under a running node", async () => {
    const a = node("a");
    await commit(
      a,
      Array.from({ length: 3000 }, (_, n) => named(`s${n}`)),
    );
    const b = node("b");
    await b.read(ORG, ({ store }) => {
      // What a disk may do: a block of the clone is another by now.
      const { posg } = new TripleStore(store, systemClock).now.roots;
      expect(store.has(posg)).toBe(true);
    });
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const file = new DatabaseSync(join(folder, "b", `${ORG}.0.db`));
    file.exec("UPDATE state_blocks SET bytes = x'0102', is_deflated = 0");
    file.close();
    expect(await b.read(ORG, byPredicate)).toBe(3000);
    expect(await commit(b, [named("more")])).toMatch(/^[0-9a-f]{64}$/);
  });

  it("shows nothing of an organization to another that knows its hashes", async () => {
    const a = node("a");
    const hash = await commit(a, [named("secret")]);
    await a.write(OTHER, ({ store }) => add(store, "main", [named("own")]));
    const seek = (store: OpenStore["store"]): Hash => resolve(store, hash);
    await expect(a.read(OTHER, ({ store }) => seek(store))).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(node("b").read(OTHER, ({ store }) => seek(store))).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("is collected under other nodes' commits, and leaves nothing out that a ref leads to", async () => {
    const a = node("a", { graceMs: 0 });
    const b = node("b");
    const commits = { areDone: false };
    const collecting = (async () => {
      let deleted = 0;
      while (!commits.areDone) deleted += (await a.collect(ORG)).deleted;
      return deleted;
    })();
    for (let count = 0; count < 30; count++) {
      const side = `side-${count}`;
      const quads = Array.from({ length: 300 }, (_, n) => named(`s${count}-${n}`));
      const head = await b.write(ORG, ({ store }) => add(store, side, quads));
      await commit(b, [named(`m${count}`)]);
      await b.write(ORG, ({ store }) => {
        store.move({ name: `heads/${side}`, expected: head, next: undefined }, new Map());
      });
    }
    commits.areDone = true;
    expect((await collecting) + (await a.collect(ORG)).deleted).toBeGreaterThan(100);
    expect(await b.check(ORG)).toEqual([]);
    expect(await sizeOf(b)).toBe(30);
    expect((await a.collect(ORG)).deleted).toBe(0);
  });

  it("does not take a move for whose blocks a collection was faster", async () => {
    const a = node("a", { graceMs: 0 });
    const gone = await commit(a, [named("gone")]);
    const b = node("b", {
      through: (origin) => {
        let isFirst = true;
        return through(origin, {
          move: async (...args) => {
            if (isFirst) {
              isFirst = false;
              await a.write(ORG, ({ store }) => {
                const main = { name: "heads/main", expected: gone, next: undefined };
                store.move(main, new Map());
              });
              expect((await a.collect(ORG)).deleted).toBeGreaterThan(0);
            }
            return origin.move(...args);
          },
        });
      },
    });
    await b.write(ORG, ({ store }) => {
      const head = store.ref("heads/main");
      store.move({ name: "tags/kept", expected: undefined, next: head ?? gone }, new Map());
    });
    // The second time it sent all that it has of it.
    expect(await a.check(ORG)).toEqual([]);
    expect(await a.read(ORG, ({ store }) => resolve(store, "kept"))).toBe(gone);
  });

  it("is collected by one node at a time, when it is due", async () => {
    const [a, b] = [node("a", { graceMs: 0 }), node("b", { graceMs: 0 })];
    await commit(a, [named("x")]);
    const { origin } = lastOf(opened);
    expect(await origin.claimCollection(ORG)).toBe("claimed");
    await expect(b.collect(ORG)).rejects.toMatchObject({ code: "STATE_CONFLICT" });
    await origin.endCollection(ORG, false);
    expect(await b.due(60_000)).toEqual([]);
    await database.query("UPDATE state_stores SET collected_at_ms = 0");
    expect(await b.due(60_000)).toEqual([ORG]);
    expect(await b.collect(ORG)).toEqual({ kept: 3, deleted: 0 });
    expect(await a.due(60_000)).toEqual([]);
    expect(await a.collect(OTHER)).toEqual({ kept: 0, deleted: 0 });
  });

  it("finds a commit that no ref leads to by its hash, until it is swept", async () => {
    const a = node("a", { graceMs: 0 });
    const loose = await a.write(ORG, ({ store }) => {
      const hash = add(store, "side", [named("loose", "text ".repeat(100))]);
      add(store, "main", [named("kept")]);
      return hash;
    });
    await a.write(ORG, ({ store }) => {
      store.move({ name: "heads/side", expected: loose, next: undefined }, new Map());
    });
    const b = node("b");
    const size = (each: Repositories): Promise<number> =>
      each.read(ORG, ({ store }) => {
        const triples = new TripleStore(store, systemClock).at(resolve(store, loose));
        return [...triples.match()].length;
      });
    expect(await size(b)).toBe(1);
    expect((await a.collect(ORG)).deleted).toBeGreaterThan(3);
    await expect(size(node("c"))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("says with a time to come back that the database is gone", async () => {
    const directory = join(folder, "x");
    await using cut = openStateNode("postgres://steward@127.0.0.1:1/none", directory);
    await expect(cut.repositories.read(ORG, () => 1)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      retryAfterMs: 1000,
    });
  });
});

function named(subject: string, value = subject): Quad {
  return quad(iri(`e:${subject}`), iri("e:p"), text(value));
}

function add(store: OpenStore["store"], branch: string, quads: readonly Quad[]): Hash {
  const triples = new TripleStore(store, systemClock, branch);
  triples.load(quads);
  return triples.commit(note);
}

function commit(repositories: Repositories, quads: readonly Quad[]): Promise<Hash> {
  return repositories.write(ORG, ({ store }) => add(store, "main", quads));
}

function sizeOf(repositories: Repositories, branch = "main"): Promise<number> {
  return repositories.read(ORG, ({ store }) => {
    const { now } = new TripleStore(store, systemClock, branch);
    return [...now.match()].length;
  });
}

function byPredicate({ store }: OpenStore): number {
  const { now } = new TripleStore(store, systemClock);
  return [...now.match({ predicate: iri("e:p") })].length;
}

async function expectOnlyLost(each: Repositories, hash: Hash, what: string): Promise<void> {
  const found = await each.read(ORG, ({ store }) => {
    const { now } = new TripleStore(store, systemClock);
    return [...now.match({ subject: iri("e:s7") })].length;
  });
  expect(found).toBe(1);
  await expect(each.read(ORG, byPredicate)).rejects.toMatchObject({
    code: "STATE_CORRUPTED",
    message: expect.stringContaining(`${hash} of the state is ${what}`) as string,
  });
  expect(await each.check(ORG)).toEqual([
    { ref: "heads/main", hash, reason: expect.stringContaining(what) as string },
  ]);
}

/** An origin some of whose methods are others. */
function through(origin: Origin, methods: Partial<Origin>): Origin {
  return new Proxy(origin, {
    get(target, name) {
      const other: unknown = Reflect.get(methods, name);
      if (other !== undefined) return other;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

function lastOf<T>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) throw new Error("There is none");
  return last;
}
