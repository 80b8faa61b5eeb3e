import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@steward/kernel/clock.js";
import { afterAll, describe, expect, it } from "vitest";
import {
  parseExportTarget,
  SinkBusy,
  targetName,
  type ExportedEvent,
  type ExportTarget,
} from "../../audit-export/ports.js";
import { renewedTlsIdentity, testTlsIdentity } from "../../transport/testing/tls-identity.js";
import { openSink } from "./index.js";
import { Collector, die, hang, refuse, SyslogReceiver } from "./testing/receivers.js";

const directory = mkdtempSync(join(tmpdir(), "steward-sinks-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const clock = systemClock;
const AT_MS = Date.parse("2026-03-01T09:30:00.250Z");

function events(from: number, count: number): readonly ExportedEvent[] {
  return Array.from({ length: count }, (_, offset) => {
    const json = JSON.stringify({ index: from + offset, text: "größer\n".repeat(50) });
    return { index: from + offset, atMs: AT_MS, severity: 3, kind: "plan.changed", json };
  });
}

function targetOf(text: string): ExportTarget {
  const target = parseExportTarget(text);
  if (target === undefined) throw new Error(`${text} is no target`);
  return target;
}

const never = (): AbortSignal => new AbortController().signal;

describe("a target", () => {
  it.each([
    "file:audit.jsonl",
    "file:/var/log/",
    "audit.jsonl",
    "http://siem.example.com/events",
    "https://user:secret@siem.example.com/",
    "syslog+tcp://siem.example.com:514",
    "syslog://siem.example.com",
    "syslog+tls://siem.example.com/path",
    "ftp://siem.example.com/",
  ])("is not %s, which is unclear or would send in clear text", (text) => {
    expect(parseExportTarget(text)).toBeUndefined();
  });

  it("has a name without the parts of its URL that may be secret", () => {
    const name = targetName(targetOf("https://siem.example.com/hec/s3cret?token=s3cret"));
    expect(name).toMatch(/^https:\/\/siem\.example\.com\/\*\*\*#[0-9a-f]{8}$/);
    expect(targetOf("syslog+tls://siem.example.com")).toMatchObject({ port: 6514, tls: true });
    expect(targetOf("json+https://siem.example.com/x")).toMatchObject({ body: "array" });
  });
});

describe("a file", () => {
  it("gets a line for each event, for its owner alone", async () => {
    const path = join(directory, "audit.jsonl");
    await using sink = openSink(targetOf(`file:${path}`), { clock });
    await sink.send(events(0, 2), never());
    await sink.send(events(2, 1), never());
    expect(indexesIn(path)).toEqual([0, 1, 2]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is begun anew after the operator has renamed it", async () => {
    const path = join(directory, "rotated.jsonl");
    await using sink = openSink(targetOf(`file:${path}`), { clock });
    await sink.send(events(0, 1), never());
    renameSync(path, `${path}.1`);
    await sink.send(events(1, 1), never());
    expect([indexesIn(`${path}.1`), indexesIn(path)]).toEqual([[0], [1]]);
  });

  it("loses the part of a line that a crash has left, whatever its length", async () => {
    for (const part of ['{"index":', "x".repeat(200_000), `{"index":7}\n${"y".repeat(65_536)}`]) {
      const path = join(directory, `crashed-${String(part.length)}.jsonl`);
      {
        await using sink = openSink(targetOf(`file:${path}`), { clock });
        await sink.send(events(0, 1), never());
      }
      appendFileSync(path, part);
      await using sink = openSink(targetOf(`file:${path}`), { clock });
      await sink.send(events(1, 1), never());
      expect(indexesIn(path)).toEqual(part.includes("7") ? [0, 7, 1] : [0, 1]);
    }
  });

  it("that cannot be written is an error", async () => {
    await using sink = openSink(targetOf(`file:${join(directory, "missing", "a")}`), { clock });
    await expect(sink.send(events(0, 1), never())).rejects.toThrow("ENOENT");
  });
});

describe("syslog over TLS", () => {
  const open = (receiver: SyslogReceiver, ca = String(testTlsIdentity.cert)) =>
    openSink(targetOf(`syslog+tls://localhost:${String(receiver.port)}`), { clock, ca });

  it("gets messages of RFC 5424 in frames, and acknowledges them by its end", async () => {
    await using receiver = await SyslogReceiver.listen();
    await using sink = open(receiver);
    await sink.send(events(0, 300), never());
    const texts = receiver.messages.map((message) => {
      // PRI and version, time, host, program, process, kind, structured data, JSON in ASCII.
      const [, json = ""] =
        /^<108>1 2026-03-01T09:30:00\.250Z \S+ steward \d+ plan\.changed \[steward@32473 index="\d+"\] ([\x20-\x7e]*)$/.exec(
          message,
        ) ?? [];
      return JSON.parse(json) as unknown;
    });
    expect(texts).toEqual(events(0, 300).map(({ json }) => JSON.parse(json) as unknown));
  });

  it("is not acknowledged when the receiver breaks the connection", async () => {
    await using receiver = await SyslogReceiver.listen();
    await using sink = open(receiver);
    receiver.isBroken = true;
    await expect(sink.send(events(0, 500), never())).rejects.toThrow("syslog receiver");
    receiver.isBroken = false;
    await sink.send(events(0, 1), never());
    expect(receiver.messages).toHaveLength(1);
  });

  it("sends nothing to a receiver whose certificate the authorities do not certify", async () => {
    await using receiver = await SyslogReceiver.listen();
    await using sink = open(receiver, String(renewedTlsIdentity.cert));
    await expect(sink.send(events(0, 1), never())).rejects.toThrow(/CERT|SELF_SIGNED|VERIFY/);
    expect(receiver.messages).toEqual([]);
  });

  it("ends at the time limit", async () => {
    await using receiver = await SyslogReceiver.listen();
    await using sink = open(receiver);
    await expect(sink.send(events(0, 1), AbortSignal.abort())).rejects.toThrow("time limit");
  });
});

describe("an HTTP collector", () => {
  it("gets events as JSON lines, or as an array, with the header of the setting", async () => {
    await using collector = await Collector.listen();
    const header = "Authorization: Splunk s3cret";
    await using lines = openSink(targetOf(collector.url), { clock, header });
    await lines.send(events(0, 2), never());
    await using array = openSink(targetOf(`json+${collector.url}`), { clock, header });
    await array.send(events(2, 2), never());
    expect(collector.posted).toMatchObject([
      { headers: { authorization: "Splunk s3cret", "content-type": "application/x-ndjson" } },
      { headers: { "content-type": "application/json" } },
    ]);
    expect(collector.posted[0]?.body).toBe(
      events(0, 2)
        .map(({ json }) => `${json}\n`)
        .join(""),
    );
    expect(JSON.parse(collector.posted[1]?.body ?? "")).toMatchObject([{ index: 2 }, { index: 3 }]);
  });

  it("has not acknowledged what it refuses, redirects or does not answer", async () => {
    await using collector = await Collector.listen();
    await using sink = openSink(targetOf(`${collector.url}?token=s3cret`), { clock });
    const send = (): Promise<unknown> =>
      sink.send(events(0, 1), AbortSignal.timeout(300)).catch((error: unknown) => error);
    collector.answers.push(refuse(500), refuse(302, { location: "/events" }), die, hang);
    const reasons = [];
    for (let tries = 0; tries < 4; tries += 1) reasons.push(await send());
    expect(reasons.map(String)).toEqual([
      "Error: the collector answered 500",
      "Error: the collector answered 302",
      "Error: no answer of the collector (ECONNRESET)",
      expect.stringMatching(/^Error: no answer of the collector/),
    ]);
    expect(await send()).toBeUndefined();
    expect(collector.posted).toHaveLength(5);
  });

  it("says for how long it wants a pause", async () => {
    await using collector = await Collector.listen();
    await using sink = openSink(targetOf(collector.url), { clock });
    collector.answers.push(refuse(429, { "retry-after": "7" }));
    await expect(sink.send(events(0, 1), never())).rejects.toMatchObject({ retryAfterMs: 7_000 });
    collector.answers.push(refuse(503, { "retry-after": "Sun, 01 Mar 2026 09:30:00 GMT" }));
    await expect(sink.send(events(0, 1), never())).rejects.toBeInstanceOf(SinkBusy);
  });
});

function indexesIn(path: string): readonly number[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { readonly index: number }).index);
}
