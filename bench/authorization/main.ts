import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { BenchChild } from "../plans/bench-child.js";
import { cpuMs } from "../plans/processes.js";
import { BenchServer, createTarget, type ServerOptions } from "../plans/server.js";
import { TokenIssuer } from "./test-modules.js";

/**
 * What tokens and policies cost of the steps per second: the load of bench/plans, in turns against two servers of one
 * build.
 *
 *     node bench/dist/authorization/main.js [--rounds 10]
 *
 * On: an agent with a JSON Web Token, and an organization with a policy of its own about a table, so that the tables of
 * every statement are decided on. Off: no credential, and a server whose decisions have been taken out. The rounds
 * alternate, and each pair gives one ratio; the goal is a median of at least 0.95.
 */
const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });

const PLANS_EACH = { 1: 100, 16: 40 } as const;
const WARM_UP = { concurrency: 8, plansEach: 40 };
/** How long a server gets after a round for background work from its steps, in ms. */
const SETTLE_MS = 1500;
const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OWN = `@id("no-salaries")
forbid (principal is Steward::Agent, action, resource == Steward::Table::"default/salaries");`;
const DAY_S = 86_400;

/** One of the two servers, and the options of its calls. */
interface Side {
  readonly server: BenchServer;
  readonly authorization?: string;
}

/** What one round measured. */
interface Round {
  readonly stepsPerSecond: number;
  readonly cpuMsPerStep: number;
}

const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
createTarget(dir);
const load = BenchChild.load();
const issuer = await TokenIssuer.start();
const on = await sideWithPolicies();
const off: Side = {
  server: await started("off", 1, {
    preload: new URL("./undecided-server.js", import.meta.url).href,
  }),
};
for (const side of [on, off]) await run(side, WARM_UP);
process.stdout.write(`${String(availableParallelism())} cores, Node ${process.version}\n`);
for (const concurrency of [16, 1] as const) await compare(concurrency);
for (const { server } of [on, off]) await server.stop();
load.end();
await issuer[Symbol.asyncDispose]();
rmSync(dir, { recursive: true });

async function sideWithPolicies(): Promise<Side> {
  const server = await started("on", 0, {
    settings: {
      SERVICE_AUTH: "jwt",
      SERVICE_JWT_ISSUER: issuer.issuer,
      SERVICE_JWT_AUDIENCE: "steward",
      SERVICE_JWT_ALGORITHMS: "ES256",
      SERVICE_JWT_JWKS_URL: `${issuer.issuer}/jwks`,
      SERVICE_ORGANIZATION: ORG,
    },
  });
  const exp = Math.floor(Date.now() / 1000) + DAY_S;
  const bearer = (claims: object): string =>
    `Bearer ${issuer.token({ org_id: ORG, exp, ...claims })}`;
  const put = await fetch(`http://${server.address}/api/policies`, {
    method: "PUT",
    headers: {
      "content-type": "application/json",
      authorization: bearer({ sub: "ada", roles: ["admin"] }),
    },
    body: JSON.stringify({ text: OWN, version: 0 }),
  });
  if (!put.ok) throw new Error(`the policy was not put: ${await put.text()}`);
  const agent = { sub: "ada", act: { sub: "invoice-agent" }, roles: ["agent"] };
  return { server, authorization: bearer(agent) };
}

function started(name: string, node: number, options: ServerOptions): Promise<BenchServer> {
  return BenchServer.start(dir, `sqlite:${join(dir, `${name}.db`)}`, node, options);
}

async function compare(concurrency: 1 | 16): Promise<void> {
  const work = { concurrency, plansEach: PLANS_EACH[concurrency] };
  const pairs: { readonly on: Round; readonly off: Round }[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // The order alternates, so that growth from round to round affects both sides equally.
    if (round % 2 === 0) pairs.push({ on: await run(on, work), off: await run(off, work) });
    else pairs.push({ off: await run(off, work), on: await run(on, work) });
  }
  const ratios = pairs.map((pair) => pair.on.stepsPerSecond / pair.off.stepsPerSecond);
  const of = (side: "on" | "off", what: keyof Round): number =>
    median(pairs.map((pair) => pair[side][what]));
  const row = {
    plans: concurrency,
    "steps/s on": Math.round(of("on", "stepsPerSecond")),
    "steps/s off": Math.round(of("off", "stepsPerSecond")),
    "CPU ms/step on": rounded(of("on", "cpuMsPerStep")),
    "CPU ms/step off": rounded(of("off", "cpuMsPerStep")),
    "on / off": rounded(median(ratios)),
    quartiles: [0.25, 0.75].map((share) => rounded(quantile(ratios, share))),
    range: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))],
  };
  process.stdout.write(`${JSON.stringify(row)}\n`);
}

async function run(
  { server, authorization }: Side,
  work: { readonly concurrency: number; readonly plansEach: number },
): Promise<Round> {
  const before = cpuMs(server.pid);
  const { calls, seconds } = await load.order({
    ...{ kind: "steps", addresses: [server.address], ...work },
    ...(authorization === undefined ? {} : { authorization }),
  });
  await delay(SETTLE_MS);
  return { stepsPerSecond: calls / seconds, cpuMsPerStep: (cpuMs(server.pid) - before) / calls };
}

function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

/** Interpolates between the two nearest figures. */
function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? 0;
  return below + (above - below) * (at - Math.floor(at));
}

function rounded(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}
