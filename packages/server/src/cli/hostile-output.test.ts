/**
 * Runs every command of the command line against a server whose every text is deceptive: each
 * operation is answered by the schema of its response, with the same hostile text in every field,
 * and a second time with an error whose texts are hostile. Nothing of that may reach the output.
 */
import { createServer, type Server } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Argument, Command } from "commander";
import { DECEPTIVE_TEXT, deceptionIn } from "@steward/kernel/testing/deceptive-text.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp } from "../app/app.js";
import { createProgram } from "./program.js";
import { createTerminal } from "./terminal/terminal.js";
import { runHere } from "./testing/run-here.js";

const HOSTILE = `evil ${DECEPTIVE_TEXT}\u001b[2K\u001b]0;title\u0007 end`;

/** Commands that serve, follow what never ends here, or print the bytes of a document. */
const LEFT_OUT = /^(?:dev|serve|mcp|plan run|\w+ watch|state export|backup|restore|copy)\b/;

const directory = mkdtempSync(join(tmpdir(), "steward-hostile-output-"));
const file = join(directory, "input.json");
let server: Server;
let answersError = false;

beforeAll(async () => {
  writeFileSync(file, JSON.stringify({ name: HOSTILE, steps: [] }));
  await using app = await openApp({ port: 0, logLevel: "silent" });
  const page = await fetch(`http://127.0.0.1:${String(app.address.port)}/openapi.json`);
  const description = (await page.json()) as Description;
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const method = (request.method ?? "").toLowerCase();
    response.setHeader("content-type", "application/json");
    if (answersError) {
      const details = [{ field: HOSTILE, reason: HOSTILE }];
      response
        .writeHead(400)
        .end(JSON.stringify({ error: HOSTILE, code: "INVALID_ARGUMENT", details }));
      return;
    }
    const found = answerOf(description, method, pathname);
    response.writeHead(found.status).end(JSON.stringify(found.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
});

describe("the output of every command", () => {
  it("is harmless, whatever a server answers, as text, as JSON and as an error", async () => {
    // A server's address is known.
    const { port } = server.address() as AddressInfo;
    const env = { SERVICE_URL: `http://127.0.0.1:${String(port)}`, FORCE_COLOR: "1" };
    let printed = 0;
    for (const words of await commandLines()) {
      for (const error of [false, true]) {
        answersError = error;
        for (const more of [[], ["--json"]]) {
          const { stdout, stderr } = await runHere([...words, ...more], { cwd: directory, env });
          const own = /\u001b\[(?:\d{1,2}(?:;\d{1,2})*)?[mGKJA]/g;
          const output = `${stdout}${stderr}`.replace(own, "");
          expect({ words, more, deception: deceptionIn(output) }).toEqual({
            ...{ words, more, deception: [] },
          });
          if (output.includes("evil")) printed += 1;
        }
      }
    }
    // Most commands print texts of the server in one way or another.
    expect(printed).toBeGreaterThan(150);
  }, 120_000);
});

/** Every command with each argument and required option that it has. */
async function commandLines(): Promise<readonly (readonly string[])[]> {
  const nowhere = { write: () => true };
  const program = await createProgram({
    env: {},
    stdin: Object.assign(noInput(), { isTTY: false }),
    terminal: createTerminal(nowhere, nowhere, {}),
    exitWith: () => undefined,
  });
  const lines = leavesOf(program, []);
  expect(lines.length).toBeGreaterThan(60);
  return lines.filter((words) => !LEFT_OUT.test(words.join(" ")));
}

async function* noInput(): AsyncGenerator<string> {
  yield await Promise.resolve("");
}

function leavesOf(command: Command, path: readonly string[]): readonly (readonly string[])[] {
  if (command.commands.length > 0) {
    return command.commands.flatMap((each) => leavesOf(each, [...path, each.name()]));
  }
  const values = command.registeredArguments.map(valueOf);
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long, argChoices }) => [long ?? "", argChoices?.[0] ?? ORG]);
  return [[...path, ...values, ...options]];
}

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";

function valueOf(argument: Argument): string {
  return /file|plan\.|path/i.test(argument.name()) ? file : (argument.argChoices?.[0] ?? ORG);
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

interface Description {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly responses: Record<
          string,
          { readonly content?: Record<string, { readonly schema: Schema }> }
        >;
      }
    >
  >;
  readonly components?: { readonly schemas?: Record<string, Schema> };
}

function answerOf(
  description: Description,
  method: string,
  pathname: string,
): { readonly status: number; readonly body: unknown } {
  const [, methods] =
    Object.entries(description.paths).find(
      ([path, each]) =>
        method in each && new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
    ) ?? [];
  const [status, response] =
    Object.entries(methods?.[method]?.responses ?? {}).find(([code]) => code.startsWith("2")) ?? [];
  const schema = response?.content?.["application/json"]?.schema;
  if (status === undefined || schema === undefined) return { status: 200, body: { data: HOSTILE } };
  return { status: Number(status), body: sampleOf(schema, description, 0) };
}

/** A value of a schema with the hostile text wherever a text may stand. */
function sampleOf(schema: Schema, description: Description, depth: number): unknown {
  if (depth > 12) return null;
  const inner = (each: Schema): unknown => sampleOf(each, description, depth + 1);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return inner(description.components?.schemas?.[name] ?? {});
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return inner(first);
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((each) => inner(each) as object)) as unknown;
  }
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  switch (type) {
    case "object": {
      const others = schema.additionalProperties;
      return {
        ...(typeof others === "object" ? { [HOSTILE]: inner(others) } : {}),
        ...Object.fromEntries(
          // Without a cursor a listing ends.
          Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
            name === "next_cursor" ? [] : [[name, inner(each)]],
          ),
        ),
      };
    }
    case "array":
      return [inner(schema.items ?? {})];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return schema.format === "date-time" || schema.format === "date"
        ? "2026-01-05T09:00:00.000Z"
        : HOSTILE;
  }
}
