import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { expectRefusal } from "../expectations.js";
import { step, type ProcessScenario } from "../scenario.js";
import { runSteward } from "../steward-command.js";
import { Steward } from "../steward.js";

/** The official MCP server for files, on standard input and output. */
const FILES = join(
  dirname(
    createRequire(new URL("../../../../packages/server/package.json", import.meta.url)).resolve(
      "@modelcontextprotocol/server-filesystem/package.json",
    ),
  ),
  "dist/index.js",
);

/** Starts a server with a tools file, and passes the arguments that accept its MCP tools. */
async function withMcpServers(
  serversIn: (directory: string) => string,
  run: (parts: {
    readonly steward: Steward;
    readonly directory: string;
    readonly pin: () => Promise<string>;
  }) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "steward-mcp-servers-"));
  const file = join(directory, "tools.yaml");
  try {
    writeFileSync(file, `mcp_servers:\n${serversIn(directory)}`);
    const env = { SERVICE_TOOLS_FILE: file };
    await using steward = await Steward.start(env);
    const pin = async () => (await runSteward(["tools", "pin", "--yes"], env)).stdout;
    await run({ steward, directory, pin });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** An MCP server with one tool that drops the connection of each call. */
async function mcpServerThatDies(calls: string[]): Promise<Server> {
  const hints = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const server = createServer((request, response) => {
    request.setEncoding("utf8").once("data", (body: string) => {
      const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string };
      if (method === "tools/call") {
        calls.push(method);
        response.destroy();
        return;
      }
      const result =
        method === "tools/list"
          ? { tools: [{ name: "pay", inputSchema: { type: "object" } }] }
          : { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { ...hints, ...result } }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Steps that call tools of other MCP servers. */
export const mcpTools: readonly ProcessScenario[] = [
  {
    cites: ["D20-listed", "D20-pinned", "D20-bound", "D20-intent"],
    title: "a step calls a listed tool of another MCP server once its definition is accepted",
    run: () =>
      withMcpServers(
        (directory) => `  - name: files
    command: ${process.execPath}
    args: [${FILES}, ${directory}]
    tools: [{ name: write_file, intent: write_update }]
`,
        async ({ steward, directory, pin }) => {
          const client = steward.client("rest", {
            "x-org-id": randomUUID(),
            "x-user-role": "admin",
          });
          const write = (tool: string) => ({
            steps: [
              step("who", `SELECT 'b", "c": "' AS text`),
              step(
                "write",
                `{"path": "${directory}/note.txt", "content": "a {{step.who.output[0].text}}"}`,
                { tool_name: tool, depends_on: ["who"] },
              ),
            ],
          });
          const refused = { code: "INVALID_PLAN", grpc: "INVALID_ARGUMENT", rest: 400 } as const;
          await expectRefusal("rest", client.submit(write("mcp:files/delete_everything")), {
            ...{ ...refused, field: "steps[1].tool_name" },
          });
          await expectRefusal("rest", client.submit(write("mcp:files/write_file")), {
            ...{ ...refused, field: "steps[1].query_template" },
          });
          expect(await pin()).toContain("mcp:files/write_file");
          const { plan_id } = await client.submit(write("mcp:files/write_file"));
          await client.execute(plan_id, "who");
          const { step_result } = await client.execute(plan_id, "write");
          expect(step_result).toMatchObject({ status: "completed", row_count: 1 });
          expect(readFileSync(join(directory, "note.txt"), "utf8")).toBe('a b", "c": "');
          await expect
            .poll(() => client.billing.heatMap())
            .toContainEqual(expect.objectContaining({ intent: "write_update", total_aau: 3 }));
        },
      ),
  },
  {
    cites: ["D20-once"],
    title: "a call whose connection breaks has an unknown outcome and is not made again",
    run: async () => {
      const calls: string[] = [];
      const server = await mcpServerThatDies(calls);
      try {
        // A server that listens on a port has this address.
        const { port } = server.address() as AddressInfo;
        await withMcpServers(
          () => `  - name: bank
    url: http://127.0.0.1:${String(port)}/mcp
    tools: [{ name: pay, intent: write_insert }]
`,
          async ({ steward, pin }) => {
            await pin();
            const client = steward.client("rest");
            const steps = [step("pay", "{}", { tool_name: "mcp:bank/pay" })];
            const { plan_id } = await client.submit({ steps });
            for (let asked = 0; asked < 2; asked += 1) {
              const { step_result } = await client.execute(plan_id, "pay");
              expect(step_result).toMatchObject({
                status: "failed",
                error: { code: "OUTCOME_UNKNOWN" },
              });
            }
            expect(calls).toHaveLength(1);
          },
        );
      } finally {
        server.close();
        server.closeAllConnections();
      }
    },
  },
];
