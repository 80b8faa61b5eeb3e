import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentLog } from "@steward/kernel/log.js";
import {
  isConsistent,
  noteText,
  parseNote,
  parseVerifierKey,
  rawKey,
  signersOf,
  verifierKey,
  verifierKeyText,
} from "../audit/tree/index.js";
import { CheckpointWitnesses, newestCosigned } from "../audit/witnesses/index.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { openSqliteStore } from "../storage/sqlite/store.js";
import type { Store } from "../storage/store.js";
import { AUDIT_TEST_KEY, flushAudit } from "../storage/testing/append-audit.js";
import { HttpWitnessClient } from "./http-witness-client.js";
import { WitnessServer } from "./testing/witness-server.js";

const FACT = { orgId: "11111111-1111-4111-8111-111111111111", atMs: 1, kind: "test.fact" };

describe("cosignatures", () => {
  // Made by Go's note.GenerateKey and formats/note, for the tests of github.com/transparency-dev/tessera.
  const KEYS = [
    [
      "Wit1+4dd489c8+BDd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c",
      "q3ou1kOLb/aTkJLoMwbMULJQNr8EQVGbpyZxMEZMyT",
    ],
    [
      "Wit2+ef71459d+BJ1w/MdWovBzZtRD4pNwmb9SHl1U+hZzCMsgx6MmMJ0L",
      "XLjVp1/sY1o5exVavpVt8zWIVFAD7ejqaMBU38CoYgg",
    ],
  ] as const;

  it("have the key ids that Go computes", () => {
    for (const [text] of KEYS) {
      const key = parseVerifierKey(text);
      expect(key.type).toBe("cosignature/v1");
      expect(verifierKeyText(key)).toBe(text);
      const other = verifierKey(key.name, "ed25519", rawKey(key.publicKey));
      expect(other.keyId).not.toBe(key.keyId);
    }
  });

  it("sign the time and the text as C2SP tlog-cosignature says, and nothing else", () => {
    // The private key of the first one: its 32 bytes come after the type.
    const seed = Buffer.from("AVq3ou1kOLb/aTkJLoMwbMULJQNr8EQVGbpyZxMEZMyT", "base64").subarray(1);
    const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
    const der = Buffer.concat([prefix, seed]);
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const key = parseVerifierKey(KEYS[0][0]);
    expect(rawKey(createPublicKey(privateKey))).toEqual(rawKey(key.publicKey));
    const text =
      "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    const note = (message: string, seconds: bigint): string => {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(seconds);
      const signature = Buffer.concat([time, sign(null, Buffer.from(message), privateKey)]);
      return noteText({ text, signatures: [{ name: key.name, keyId: key.keyId, signature }] });
    };
    const message = `cosignature/v1\ntime 1679315147\n${text}`;
    expect(signersOf(parseNote(note(message, 1679315147n)), [key])).toEqual([key]);
    const late = 2n ** 63n;
    for (const [wrong, seconds] of [
      [message, 1679315148n],
      [text, 1679315147n],
      [`cosignature/v1\ntime ${String(late)}\n${text}`, late],
    ] as const) {
      expect(() => signersOf(parseNote(note(wrong, seconds)), [key])).toThrow("does not match");
    }
  });
});

/** A real store whose log grows, and a witness. */
describe("the witnesses of a log", () => {
  let directory: string;
  let store: Store;
  let witness: WitnessServer;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "steward-witness-"));
    store = openSqliteStore(join(directory, "store.db"), systemClock, silentTelemetry);
    witness = await WitnessServer.start("witness.example.com/w1");
    witness.log = AUDIT_TEST_KEY;
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await witness[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  async function grow(count: number): Promise<void> {
    const facts = Array.from({ length: count }, (_, at) => ({
      ...{ ...FACT, subject: String(at), detail: {} },
    }));
    await store.audit.sequence.add(facts);
    await flushAudit(store);
  }

  /** Asks until a condition holds. @returns what was written to the log. */
  async function ask(isOver: () => boolean | Promise<boolean>): Promise<string> {
    const lines: string[] = [];
    const log = {
      ...silentLog,
      warn: (...told: unknown[]) => void lines.push(JSON.stringify(told, textOfErrors)),
    };
    const { audit } = store;
    const witnesses = [{ key: witness.key, url: witness.url }];
    const client = new HttpWitnessClient();
    await using _asking = new CheckpointWitnesses({ ...audit, witnesses, client, log, pollMs: 10 });
    await expect.poll(isOver).toBe(true);
    return lines.join("\n");
  }

  const covered = async () => (await store.audit.cosignatures.list())[0]?.size ?? 0;
  const size = async () => (await store.audit.archive.checkpoint()).size;

  it("cosign each newest checkpoint once, which an auditor verifies with their keys", async () => {
    for (const count of [3, 300, 1, 600]) {
      await grow(count);
      await ask(async () => (await covered()) === (await size()));
    }
    expect(witness.statuses).toEqual([200, 200, 200, 200]);
    const [cosigned] = await store.audit.cosignatures.list();
    const other = verifierKey("other", "cosignature/v1", rawKey(witness.key.publicKey));
    const found = newestCosigned([cosigned?.note ?? ""], [AUDIT_TEST_KEY], [other, witness.key]);
    expect(found.map((each) => [each.witness.name, each.checkpoint.size])).toEqual([
      [witness.key.name, await size()],
    ]);
    expect(Math.abs((found[0]?.atSeconds ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("are asked from the size that they have, when this store has not seen it", async () => {
    await grow(300);
    await ask(async () => (await covered()) === (await size()));
    const [cosigned] = await store.audit.cosignatures.list();
    await grow(5);
    witness.statuses.length = 0;
    // As if the answer before had been lost.
    const before = { size: 0, note: cosigned?.note ?? "", witness: "another" };
    await store.audit.cosignatures.put(before);
    const { archive } = store.audit;
    const empty = { list: () => Promise.resolve([]), put: () => Promise.resolve() };
    const client = new HttpWitnessClient();
    const witnesses = [{ key: witness.key, url: witness.url }];
    const parts = {
      archive,
      cosignatures: empty,
      client,
      witnesses,
      log: silentLog,
      pollMs: 60_000,
    };
    await using _asking = new CheckpointWitnesses(parts);
    await expect.poll(() => witness.statuses).toEqual([409, 200]);
  });

  it("find a log from which records were removed, and one that was rewritten", async () => {
    await grow(5);
    const older = { size: 9, root: Buffer.alloc(32, 1), origin: AUDIT_TEST_KEY.name };
    witness.latest = older;
    expect(await ask(() => witness.statuses.length > 1)).toMatch(
      /has cosigned 9 records, and this log has only 6.*SERVICE_AUDIT_NAME/,
    );
    witness.latest = { ...older, size: 4 };
    witness.statuses.length = 0;
    expect(await ask(() => witness.statuses.includes(422))).toMatch(/this log was rewritten/);
    expect(isConsistent({ older, newer: older }, [])).toBe(true);
    expect(await covered()).toBe(0);
  });

  it("say what to do when they do not know the log, and store nothing that does not verify", async () => {
    await grow(1);
    witness.log = undefined;
    expect(await ask(() => witness.statuses.length > 1)).toMatch(/404|steward audit key/);
    const wrong = witness.cosignatureOf("another text\n");
    const answers = ["", "x", "\n", wrong, "— someone.else AAAAAAAAAAAA\n", "—".repeat(100_000)];
    for (const body of answers) {
      witness.faulty = { status: 200, body };
      witness.statuses.length = 0;
      await ask(() => witness.statuses.length > 1);
    }
    expect(await store.audit.cosignatures.list()).toEqual([]);
  });

  it("that sign a smaller checkpoint late replace no larger one", async () => {
    const { cosignatures } = store.audit;
    const of = (count: number) => ({ witness: "w", size: count, note: String(count) });
    for (const each of [5, 9, 7]) await cosignatures.put(of(each));
    expect(await cosignatures.list()).toEqual([of(9)]);
  });
});

function textOfErrors(_name: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
