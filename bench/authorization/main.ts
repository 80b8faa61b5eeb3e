import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BenchChild } from "../plans/bench-child.js";
import { Comparison, type Side } from "../plans/comparison.js";
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

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
const OWN = `@id("no-salaries")
forbid (principal is Steward::Agent, action, resource == Steward::Table::"default/salaries");`;
const DAY_S = 86_400;

const dir = mkdtempSync(join(tmpdir(), "steward-bench-"));
createTarget(dir);
const load = BenchChild.load();
const issuer = await TokenIssuer.start();
const on = await sideWithPolicies();
const off: Side = {
  server: await started("off", 1, {
    fromModules: { preload: new URL("./undecided-server.js", import.meta.url).href },
  }),
};
const comparison = new Comparison(load, { on, off });
await comparison.warmUp();
process.stdout.write(`${String(availableParallelism())} cores, Node ${process.version}\n`);
for (const concurrency of [16, 1] as const) {
  const row = await comparison.rounds(concurrency, Number(values.rounds));
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
for (const { server } of [on, off]) await server.stop();
load.end();
await issuer[Symbol.asyncDispose]();
rmSync(dir, { recursive: true });

async function sideWithPolicies(): Promise<Side> {
  const server = await started("on", 0, {
    fromModules: {},
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
