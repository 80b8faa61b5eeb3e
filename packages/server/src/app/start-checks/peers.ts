import { existsSync, readFileSync } from "node:fs";
import type { openRemoteSink } from "../../adapters/audit-sinks/index.js";
import type { Witness } from "../../audit/witnesses/ports.js";
import { type Config, SETTINGS } from "../../config/index.js";
import type { McpEndpoint, McpServer } from "../../governance/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { PEER_CHECK_MS } from "../limits.js";
import type { ToolState } from "../mcp-pins.js";
import { fail, ok, reasonOf, warn } from "./finding.js";
import type { Finding } from "./finding.js";

/**
 * Asks the servers of others that this one calls: MCP servers, witnesses and receivers of the audit log, all at the same
 * time and by the code that calls them later. A server starts without them. Nothing is changed there: no tool is called,
 * no checkpoint is sent, and no event. A program on stdio is started as a step starts it, and ended after its answer.
 */
export async function checkPeers(config: Config): Promise<readonly Finding[]> {
  const found = await Promise.all([
    checkMcpServers(config),
    checkWitnesses(config),
    checkExports(config),
  ]);
  return found.flat();
}

async function checkMcpServers(config: Config): Promise<readonly Finding[]> {
  const { mcpServers = [] } = config.tools;
  if (mcpServers.length === 0) return [];
  const { lookAtMcpTools } = await import("../mcp-pins.js");
  try {
    // The words of a program would stand between the lines of the log.
    const { states } = await lookAtMcpTools(config, AbortSignal.timeout(PEER_CHECK_MS), "ignore");
    return mcpServers.map((server) => checkMcpServer(server, states));
  } catch (error) {
    return [fail("MCP servers", reasonOf(error), MCP_FIX)];
  }
}

const MCP_FIX = `correct the tools file (${SETTINGS.toolsFile.name}), or start the server`;
const MCP_PROGRAM_FIX = `correct its command, args or env in the tools file (${SETTINGS.toolsFile.name}); \`steward tools list\` starts it too, and shows its own words`;

function checkMcpServer(
  { name: server, endpoint }: McpServer,
  states: readonly ToolState[],
): Finding {
  const name = `MCP server ${server}`;
  const where = placeOf(endpoint);
  const own = states.filter((state) => state.server === server);
  const of = (...wanted: readonly ToolState["state"][]): string =>
    own.flatMap(({ state, name: tool }) => (wanted.includes(state) ? [tool] : [])).join(", ");
  const problem = own.find(({ state }) => state === "unreachable")?.problem;
  const fix = "url" in endpoint ? MCP_FIX : MCP_PROGRAM_FIX;
  if (problem !== undefined) return fail(name, `${where}: ${problem}`, fix);
  const missing = of("missing");
  if (missing !== "") return fail(name, `${where} answers, and has no tool ${missing}`, fix);
  const open = of("new", "changed");
  if (open === "") return ok(name, `${where} answers`);
  const found = `${where} answers; nobody has accepted the present definition of ${open}`;
  return warn(name, found, "read it and accept it: `steward tools pin`");
}

/** Where a server is, without what its URL or its arguments may hold of secrets. */
function placeOf(endpoint: McpEndpoint): string {
  if (!("url" in endpoint)) return `the program ${endpoint.command}`;
  const { origin, pathname } = new URL(endpoint.url);
  return origin + pathname;
}

async function checkWitnesses({ audit: { witnesses } }: Config): Promise<readonly Finding[]> {
  if (witnesses.length === 0) return [];
  const { HttpWitnessClient } = await import("../../adapters/http-witness-client.js");
  const client = new HttpWitnessClient();
  return Promise.all(witnesses.map((witness) => checkWitness(witness, client)));
}

/** Sends a request without a checkpoint, which a witness must refuse as malformed (C2SP tlog-witness). */
async function checkWitness(
  { key, url }: Witness,
  client: { post(url: string, body: string, signal: AbortSignal): Promise<{ status: number }> },
): Promise<Finding> {
  const name = `audit witness ${key.name}`;
  const fix = `correct its URL in ${SETTINGS.audit.witnesses.name}, or ask its operator`;
  try {
    const signal = AbortSignal.timeout(PEER_CHECK_MS);
    const { status } = await client.post(`${url}/add-checkpoint`, "", signal);
    if (status === 400) return ok(name, `${url} answers`);
    const found = `${url} answers an empty request with HTTP ${String(status)}; a witness answers with 400`;
    return fail(name, found, fix);
  } catch (error) {
    return fail(name, `${url}: ${reasonOf(error)}`, fix);
  }
}

async function checkExports({ audit }: Config): Promise<readonly Finding[]> {
  const { exports, exportHeader: header, exportCaFile: caFile } = audit;
  const remote = exports.flatMap((target) => (target.kind === "file" ? [] : [target]));
  // A file of authorities that is missing stops the start.
  if (remote.length === 0 || (caFile !== undefined && !existsSync(caFile))) return [];
  const { openRemoteSink } = await import("../../adapters/audit-sinks/index.js");
  const options = {
    clock: systemClock,
    ...(header === undefined ? {} : { header }),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") }),
  };
  return Promise.all(remote.map((target) => checkSink(openRemoteSink(target, options))));
}

async function checkSink(sink: ReturnType<typeof openRemoteSink>): Promise<Finding> {
  const name = "audit export";
  await using receiver = sink;
  try {
    await receiver.reach(AbortSignal.timeout(PEER_CHECK_MS));
    return ok(name, `${receiver.name} answers`);
  } catch (error) {
    const names = [
      SETTINGS.audit.exports,
      SETTINGS.audit.exportHeader,
      SETTINGS.audit.exportCaFile,
    ];
    const fix = `correct ${names.map((setting) => setting.name).join(", ")}, or start the receiver`;
    return fail(name, `${receiver.name}: ${reasonOf(error)}`, fix);
  }
}
