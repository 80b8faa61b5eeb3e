import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { silentLog, type Log } from "@steward/kernel/log.js";
import { afterAll, describe, expect, it } from "vitest";
import {
  Collector,
  die,
  hang,
  refuse,
  SyslogReceiver,
} from "../adapters/audit-sinks/testing/receivers.js";
import { createSampleDatabase } from "../adapters/sample-database/index.js";
import { parseExportTarget } from "../audit-export/ports.js";
import { violationsOf } from "../audit-export/ocsf/testing/violations.js";
import { startSteward } from "../cli/testing/steward-process.js";
import { testTlsIdentity } from "../transport/testing/tls-identity.js";
import { openApp, type App } from "./app.js";
import { auditKeyFile } from "./testing/audit-key-file.js";
import { storeDatabase } from "../storage/postgres/testing/store-database.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";

const root = mkdtempSync(join(tmpdir(), "steward-audit-export-"));
const keyFile = auditKeyFile(root);
afterAll(() => {
  rmSync(root, { recursive: true });
});

const caFile = join(root, "ca.pem");
writeFileSync(caFile, testTlsIdentity.cert);
const shop = join(root, "shop.db");
createSampleDatabase(shop);

type Event = Readonly<Record<string, unknown>> & {
  readonly metadata: { readonly sequence: number };
};

describe.each(["SQLite", "PostgreSQL"])("the export of the audit log on %s", (engine) => {
  it("reaches every sink in order, whatever the other sinks do", async () => {
    await using collector = await Collector.listen();
    await using broken = await Collector.listen();
    await using syslog = await SyslogReceiver.listen();
    await using database = engine === "PostgreSQL" ? await storeDatabase() : undefined;
    const file = join(root, `${engine}.jsonl`);
    collector.answers.push(refuse(500), die, refuse(429, { "retry-after": "1" }));
    for (let tries = 0; tries < 100; tries += 1) broken.answers.push(hang);
    const logged: string[] = [];
    await using app = await open({
      store: database?.url ?? `sqlite:${join(root, "sinks.db")}`,
      targets: [
        ...[`${collector.url}?token=s3cret`, broken.url, `file:${file}`],
        `syslog+tls://localhost:${String(syslog.port)}`,
      ],
      log: logTo(logged),
    });
    const plans = [];
    for (let count = 0; count < 5; count += 1) plans.push(await runPlan(app));
    // The events of the file: the record of the signing key, then the creation and the step of each
    // plan.
    const file_events = (): readonly Event[] => eventsOf(readFileSync(file, "utf8"));
    await expect.poll(() => completed(file_events())).toBe(5);
    const all = file_events();
    expect(all.flatMap((event) => violationsOf(event))).toEqual([]);
    expect(sequencesOf(all)).toEqual(all.map((_event, index) => index));
    const datastore = all.find((event) => event["class_uid"] === 6005);
    expect(datastore).toMatchObject({
      database: { name: "shop" },
      actor: { user: { uid: "ada.lovelace" }, app_name: "analyst" },
      src_endpoint: { ip: "127.0.0.1" },
      query_info: { query_string: "SELECT count(*) AS n FROM orders WHERE id > ?" },
      metadata: { tenant_uid: ORG, profiles: ["ai_operation"] },
    });
    const fromSyslog = (): readonly Event[] =>
      eventsOf(syslog.messages.map((message) => message.slice(message.indexOf("{"))).join("\n"));
    await expect.poll(() => fromSyslog().length).toBe(all.length);
    expect(fromSyslog()).toEqual(all);
    // What was refused, and what was taken without an answer, is sent again: no gap, in order.
    await expect.poll(() => collector.posted.length).toBeGreaterThan(3);
    await expect.poll(() => new Set(sequencesOf(collector.events)).size).toBe(all.length);
    expect(firstTimes(collector.events)).toEqual(sequencesOf(all));
    expect(broken.posted.length).toBeGreaterThan(0);
    const metrics = await (await fetch(`${urlOf(app)}/metrics`)).text();
    expect(metrics).toContain(`steward_audit_export_waiting_records ${String(all.length)}`);
    expect(metrics).toMatch(/steward_audit_export_batches_total\{sink="[^"]*",outcome="failed"\}/);
    expect(logged.join("\n")).toContain("export of the audit log");
    expect(`${metrics}${logged.join("\n")}`).not.toContain("s3cret");
  });

  it("continues after a restart where it was", async () => {
    await using collector = await Collector.listen();
    await using database = engine === "PostgreSQL" ? await storeDatabase() : undefined;
    const store = database?.url ?? `sqlite:${join(root, "restart.db")}`;
    for (let runs = 1; runs <= 2; runs += 1) {
      await using app = await open({ store, targets: [collector.url] });
      await runPlan(app);
      await expect.poll(() => completed(collector.events as readonly Event[])).toBe(runs);
    }
    const sequences = sequencesOf(collector.events);
    expect(sequences).toEqual(sequences.map((_sequence, index) => index));
  });
});

it("is sent by one of two servers, and the other one goes on when it ends", async () => {
  await using collector = await Collector.listen();
  await using database = await storeDatabase();
  const target = { store: database.url, targets: [collector.url] };
  await using first = await open({ ...target, node: "first" });
  {
    await using second = await open({ ...target, node: "second" });
    await Promise.all([first, second, first, second].map((app) => runPlan(app)));
    await expect.poll(() => completed(collector.events as readonly Event[])).toBe(4);
  }
  await runPlan(first);
  await expect.poll(() => completed(collector.events as readonly Event[])).toBe(5);
  const sequences = sequencesOf(collector.events);
  // Servers that end in order leave no duplicates.
  expect(sequences).toEqual(sequences.map((_sequence, index) => index));
}, 60_000);

it("leaves no gap when the server is killed at any moment", async () => {
  await using collector = await Collector.listen();
  const directory = mkdtempSync(join(root, "killed-"));
  const file = join(directory, "audit.jsonl");
  const rounds = 2;
  const plansARound = 5;
  for (let round = 0; round < rounds; round += 1) {
    // In every other round the collector accepts the batch that is being sent, and the server dies
    // before it gets the answer.
    if (round % 2 === 1) collector.answers.push(die, hang);
    await using server = startSteward(["serve", "--port", "0"], {
      cwd: directory,
      env: {
        SERVICE_DATABASE_URL: "sqlite:store.db",
        SERVICE_DATA_SOURCES: `shop=sqlite:${shop}`,
        SERVICE_AUDIT_EXPORT: `${collector.url},file:${file}`,
        SERVICE_AUDIT_KEY_FILE: keyFile,
      },
    });
    const said = await server.said("stdout", /http:\/\/127\.0\.0\.1:\d+/);
    const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? "";
    const before = collector.posted.length;
    for (let count = 0; count < plansARound; count += 1) await runPlanAt(baseUrl);
    await expect.poll(() => collector.posted.length).toBeGreaterThan(before);
    server.process.kill("SIGKILL");
    await server.ended;
  }
  collector.answers.length = 0;
  await using app = await open({
    store: `sqlite:${join(directory, "store.db")}`,
    targets: [collector.url, `file:${file}`],
  });
  const inFile = (): readonly Event[] => eventsOf(readFileSync(file, "utf8"));
  await expect.poll(() => completed(inFile())).toBeGreaterThanOrEqual(rounds * plansARound);
  await runPlan(app);
  const plans = rounds * plansARound + 1;
  for (const events of [inFile, () => collector.events as readonly Event[]]) {
    const known = () =>
      new Set(
        events()
          .filter(isCompletion)
          .map((event) => event["message"]),
      ).size;
    await expect.poll(known).toBe(plans);
    const first = firstTimes(events());
    expect(first).toEqual(first.map((_sequence, index) => index));
  }
});

interface Opening {
  readonly store: string;
  readonly targets: readonly string[];
  readonly log?: Log;
  readonly node?: string;
}

function open({ store, targets, log = silentLog, node = "" }: Opening): Promise<App> {
  const exports = targets.map((text) => {
    const target = parseExportTarget(text);
    if (target === undefined) throw new Error(`${text} is no target`);
    return target;
  });
  return openApp({
    ...{ port: 0, log, databaseUrl: store },
    dataDir: mkdtempSync(join(root, `data-${node}`)),
    dataSources: [{ name: "shop", url: `sqlite:${shop}` }],
    audit: { name: "steward/audit", witnesses: [], exports, exportCaFile: caFile, keyFile },
  });
}

function urlOf(app: App): string {
  return `http://127.0.0.1:${String(app.address.port)}`;
}

function runPlan(app: App): Promise<string> {
  return runPlanAt(urlOf(app));
}

/** Runs a plan of one step, as an agent for a person. */
async function runPlanAt(baseUrl: string): Promise<string> {
  const { plans } = createClient({
    ...{ baseUrl, orgId: ORG, role: "agent" },
    headers: { "x-user-id": "ada.lovelace", "x-agent-id": "analyst" },
  });
  const query_template = "SELECT count(*) AS n FROM orders WHERE id > 3";
  const { plan_id: planId } = await plans.submit({
    name: "p",
    steps: [{ id: "a", query_template }],
  });
  await plans.execute(planId, "a");
  return planId;
}

function eventsOf(lines: string): readonly Event[] {
  return lines
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event);
}

function isCompletion(event: Readonly<Record<string, unknown>>): boolean {
  return event["class_uid"] === 6005;
}

/** How many statements the events tell of, each event once. */
function completed(events: readonly Event[]): number {
  return new Set(sequencesOf(events.filter(isCompletion))).size;
}

function sequencesOf(events: readonly Readonly<Record<string, unknown>>[]): readonly number[] {
  return events.map((event) => (event as Event).metadata.sequence);
}

/** The places of the events in the log, in the order in which they first arrived. */
function firstTimes(events: readonly Readonly<Record<string, unknown>>[]): readonly number[] {
  return [...new Set(sequencesOf(events))];
}

/** A log that writes everything to a list. */
function logTo(lines: string[]): Log {
  const write = (...said: readonly unknown[]): void => void lines.push(JSON.stringify(said));
  const log: Log = {
    ...{ debug: write, info: write, warn: write, error: write },
    child: () => log,
  };
  return log;
}
