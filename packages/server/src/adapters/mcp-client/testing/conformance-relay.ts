import type { ScenarioContext, ScenarioRequest } from "./conformance-client.js";

// The official suite starts this program as its client, with the address of its server. The client is in
// the process of the test, because it would take much longer if each scenario loaded its modules: this
// program sends it the request, and ends as the client did.
const { STEWARD_SUITE_CLIENT: client = "", MCP_CONFORMANCE_SCENARIO: scenario = "" } = process.env;
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as ScenarioContext;
const request: ScenarioRequest = { scenario, url: process.argv.at(-1) ?? "", context };
const answer = await fetch(client, { method: "POST", body: JSON.stringify(request) });
process.stderr.write(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
