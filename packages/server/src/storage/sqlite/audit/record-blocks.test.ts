import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../../kernel/telemetry.js";
import { COPIED_TABLES } from "../../copied-table.js";
import { flushAudit, newestRecords } from "../../testing/append-audit.js";
import { openConnection } from "../connection.js";
import { openSqliteExport } from "../export.js";
import { openSqliteStore } from "../store.js";
import { decompressed, recordsIn, valuesIn } from "../../derivation/packed-block.js";
import { PACKED_VALUES_BYTES_MAX } from "./limits.js";
import { firstOf } from "./record-blocks.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const root = mkdtempSync(join(tmpdir(), "steward-blocks-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

// Two full tiles and a part are written, and the tables are read beside the store.
it("has the records of full tiles in blocks only, which an erasure rewrites and a copy unpacks", async () => {
  const path = join(root, "store.db");
  const facts = Array.from({ length: 600 }, (_, at) => ({
    ...{ orgId: ORG, atMs: at, kind: "test.fact", subject: "s", detail: {} },
    personal: { who: at % 2 === 0 ? "ada" : "bob" },
  }));
  await using store = openSqliteStore(path, systemClock, silentTelemetry);
  for (let at = 0; at < facts.length; at += 60) {
    await store.audit.sequence.add(facts.slice(at, at + 60));
    await flushAudit(store);
  }
  await flushAudit(store);
  using db = openConnection(path, true);
  const count = (table: string): unknown => db.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  expect(count("audit_blocks")).toEqual({ n: 2 });
  expect(count("audit_entries")).toEqual({ n: 601 - 512 });
  expect(count("audit_personal_values")).toEqual({ n: 601 - 512 });
  const values = async (): Promise<readonly string[]> => {
    const rows = db
      .prepare("SELECT block_index, personal_values FROM audit_personal_blocks")
      .all() as { readonly block_index: number; readonly personal_values: Uint8Array }[];
    const blocks = rows.map(async ({ block_index: block, personal_values: bytes }) =>
      valuesIn(firstOf(block), await decompressed(bytes)).map(({ json }) => json),
    );
    return (await Promise.all(blocks)).flat();
  };
  expect(await values()).toHaveLength(511);
  const which = { untilMs: 1000, text: "ada" };
  expect(await store.audit.archive.erase(ORG, which, 1000)).toBe(300);
  expect(new Set(await values())).toEqual(new Set(['{"who":"bob"}']));
  expect(await store.audit.archive.erase(ORG, { untilMs: 1000 }, 1000)).toBe(300);
  expect(count("audit_personal_blocks")).toEqual({ n: 0 });
});

// Otherwise whoever reads one record would unpack the large values of 255 others.
it("has large personal values beside the blocks, where they are read and erased too", async () => {
  const path = join(root, "large.db");
  const large = "x".repeat(PACKED_VALUES_BYTES_MAX);
  const facts = Array.from({ length: 300 }, (_, at) => ({
    ...{ orgId: ORG, atMs: at, kind: "test.fact", subject: "s", detail: {} },
    personal: { who: at % 50 === 0 ? large : "ada" },
  }));
  await using store = openSqliteStore(path, systemClock, silentTelemetry);
  await store.audit.sequence.add(facts);
  for (let turn = 0; turn < 4; turn += 1) await flushAudit(store);
  using db = openConnection(path, true);
  const count = (): unknown =>
    db.prepare("SELECT count(*) AS n FROM audit_personal_values WHERE record_index < 256").get();
  expect(db.prepare("SELECT count(*) AS n FROM audit_blocks").get()).toEqual({ n: 1 });
  expect(count()).toEqual({ n: 6 });
  const values = async (): Promise<unknown> =>
    (await newestRecords(store, { orgId: ORG }, 300)).map(({ personal }) => personal?.values);
  expect(await values()).toEqual(facts.map(({ personal }) => personal).toReversed());
  const record = await store.audit.archive.record(ORG, 51);
  expect(record?.personal?.values).toEqual({ who: large });
  expect(await store.audit.archive.erase(ORG, { untilMs: 1000, text: large }, 1000)).toBe(6);
  expect(count()).toEqual({ n: 0 });
  expect(await store.audit.archive.erase(ORG, { untilMs: 1000 }, 1000)).toBe(294);
  expect(new Set((await values()) as readonly unknown[])).toEqual(new Set([undefined]));
});

it("is copied record by record", async () => {
  const path = join(root, "copied.db");
  const records = await (async () => {
    await using store = openSqliteStore(path, systemClock, silentTelemetry);
    const facts = Array.from({ length: 300 }, (_, at) => ({
      ...{ orgId: ORG, atMs: at, kind: "test.fact", subject: "s", detail: {} },
      personal: { who: "ada" },
    }));
    await store.audit.sequence.add(facts);
    for (let turn = 0; turn < 3; turn += 1) await flushAudit(store);
    return await newestRecords(store, { orgId: ORG }, 300);
  })();
  using copied = openSqliteExport(path);
  const rowsOf = (name: string): readonly (readonly (string | null)[])[] => {
    const table = COPIED_TABLES.find((each) => each.name === name);
    if (table === undefined) throw new Error("the table is copied");
    const rows = [...copied.rows(table)];
    expect(copied.rowCount(table)).toBe(rows.length);
    return rows.toSorted((one, other) => Number(one[1]) - Number(other[1]));
  };
  const unpacked = async <Item>(
    column: number,
    read: (first: number, bytes: Buffer) => readonly Item[],
  ): Promise<readonly Item[]> => {
    const own = rowsOf("audit_blocks").filter(([orgId]) => orgId === ORG);
    const blocks = own.map(async (row) =>
      read(Number(row[1]), await decompressed(Buffer.from(row[column] ?? "", "hex"))),
    );
    return (await Promise.all(blocks)).flat();
  };
  const entries = (await unpacked(5, recordsIn)).map(({ index, entry }) => [index, entry]);
  expect(entries).toEqual(records.toReversed().map(({ index, entry }) => [index, entry]));
  const values = (await unpacked(6, valuesIn)).map(({ index, salt }) => [index, salt]);
  expect(values).toEqual(
    records.toReversed().map(({ index, personal }) => [index, personal?.salt]),
  );
  expect(rowsOf("audit_subjects").filter(([orgId]) => orgId === ORG)).toEqual([
    [ORG, "s", "0"],
    [ORG, "s", "256"],
  ]);
});
