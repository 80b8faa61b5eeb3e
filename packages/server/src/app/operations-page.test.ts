import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listedOperations, operations, type ListedOperation } from "@steward/operations";
import * as grpc from "@steward/protocol/grpc";
import type { Command } from "commander";
import { format } from "prettier";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../cli/program.js";
import { createTerminal } from "../cli/terminal/terminal.js";
import { openApp, type App } from "./app.js";

/** Compares the table of operations with what a server serves, and writes its page from it. */
const PAGE = new URL("../../../../docs/operations.md", import.meta.url);
const ROWS = listedOperations(operations);
/** `UsageService/SetBudget`. */
const METHODS: readonly string[] = Object.values(grpc)
  .flatMap((each) => ("methods" in each && "typeName" in each ? each.methods : []))
  .map(({ name, parent }) => `${parent.name}/${name}`);

const directory = mkdtempSync(join(tmpdir(), "steward-operations-page-"));
let app: App;
/** `POST /billing/budgets`, by the operation's name. */
let routes: ReadonlyMap<string, string>;
beforeAll(async () => {
  app = await openApp({
    port: 0,
    logLevel: "silent",
    dataDir: directory,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
  });
  const { paths } = (await (await fetch(url("/openapi.json"))).json()) as {
    readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
  };
  routes = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`,
      ]),
    ),
  );
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const url = (path: string): string => `http://127.0.0.1:${String(app.address.port)}${path}`;

describe("the table of operations", () => {
  it("names the route of each operation that the API reference has, and others that are served", async () => {
    for (const { operation, rest } of ROWS) {
      const route = routes.get(operation);
      if (route !== undefined || rest === undefined) {
        expect({ operation, rest }).toEqual({ operation, rest: route });
        continue;
      }
      // These are served where a server has an OpenID provider: sign-in.test.ts asks for them.
      if (rest.includes(" /auth/")) continue;
      const [method = "", path = ""] = rest.split(" ");
      const { status } = await fetch(url(path), { method });
      expect({ operation, isServed: ![404, 405].includes(status) }).toEqual({
        ...{ operation, isServed: true },
      });
    }
  });

  it("has each operation of the API reference", () => {
    const names = ROWS.map(({ operation }) => operation);
    expect(names).toEqual(expect.arrayContaining([...routes.keys()]));
  });

  it("names each method that the .proto has, at one operation", () => {
    const named = ROWS.flatMap(({ grpc: method }) => method ?? []);
    expect(named.toSorted()).toEqual(METHODS.toSorted());
  });

  it("names commands that exist", async () => {
    const discarded = { write: () => true };
    const terminal = createTerminal(discarded, discarded, {});
    const program = await createProgram({ env: {}, stdin: empty(), terminal, exitWith: () => {} });
    const commands = new Set(commandsOf(program, []));
    expect(ROWS.filter(({ command = "mcp" }) => !commands.has(command))).toEqual([]);
  });
});

describe("docs/operations.md", () => {
  it("says what the table of operations says (vitest --update writes it)", async () => {
    const page = await format(pageOf(), {
      ...{ parser: "markdown", proseWrap: "never", printWidth: 100 },
    });
    await expect(page).toMatchFileSnapshot(PAGE.pathname);
  });
});

/** Generates docs/operations.md. */
function pageOf(): string {
  const groups = [...new Set(ROWS.map(({ group }) => group))];
  return `# Operations

The right that each operation needs, the record that it leaves, and where it is served. \`steward operations\` prints the same with further columns, such as the command, and \`--json\` for programs. \`/docs\` of a server describes parameters and answers. The tools of MCP call these operations, so they need the same actions and leave the same records.

- **Action**: [policies](policies.md) are asked about it before the request is read, on every wire. Without an action no right is needed.
- **Record**: its kind in the [audit log](audit.md), written in the transaction of the effect. Others are written at another time: \`around\`, before and after an effect outside of the store; \`before\`, before data leave the service; \`counted\`, the same, but repeated reads are only counted. Each change of a plan is a record (plan log). An operation without a record changes nothing.
- **\\***: a client that does not know whether its request arrived must not send it again.
- **gRPC**: the service is at the head of the group, and its method has the name of the operation (yes) or the one that is given.

| operation | action | record | REST | gRPC |
| - | - | - | - | - |
${groups.flatMap(rowsOf).join("\n")}
`;
}

function rowsOf(group: string): readonly string[] {
  const rows = ROWS.filter((row) => row.group === group);
  const services = new Set(rows.flatMap(({ grpc: method }) => method?.split("/")[0] ?? []));
  const service = services.size === 1 ? [...services].join("") : "";
  const head = cells([
    `**${group.charAt(0).toUpperCase()}${group.slice(1)}**`,
    "",
    "",
    "",
    service,
  ]);
  return [head, ...rows.map((row) => line(row, service))];
}

function line({ audit = "", time, ...row }: ListedOperation, service: string): string {
  const record = time === undefined || time === "withEffect" ? audit : `${audit}, ${time}`;
  const given = (row.grpc ?? "").replace(`${service}/`, "");
  const method = given.toLowerCase() === row.operation.toLowerCase() ? "yes" : given;
  const name = `${row.operation}${row.retry ? "" : " \\*"}`;
  // An asterisk of a path would begin an emphasis.
  const rest = (row.rest ?? "").replaceAll("*", "\\*");
  return cells([name, row.action ?? "", record, rest, method]);
}

function cells(texts: readonly string[]): string {
  return `| ${texts.join(" | ")} |`;
}

/** The names of a program's commands: `budget set`. */
function commandsOf(command: Command, path: readonly string[]): readonly string[] {
  return command.commands.flatMap((each) => {
    const name = [...path, each.name()];
    return [name.join(" "), ...commandsOf(each, name)];
  });
}

async function* empty(): AsyncGenerator<string> {}
