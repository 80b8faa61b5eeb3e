import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypescript, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRestServer } from "../testing/rest-server.js";

/**
 * All strict options of TypeScript except exactOptionalPropertyTypes, which the runtime that
 * @hey-api/openapi-ts adds to every client does not support.
 */
const STRICT: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noEmit: true,
  // Generated clients are not declaration files; checking the library's own declarations takes most
  // of the time.
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: [],
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

let folder: string;
let json: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "steward-generators-"));
  await using server = await startRestServer();
  json = await (await fetch(`${server.url}/openapi.json`)).text();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("clients that are generated from /openapi.json", () => {
  it("compile under strict settings: types by openapi-typescript, a client by @hey-api/openapi-ts", async () => {
    await writeFile(join(folder, "types.ts"), astToString(await openapiTypescript(json)));
    const input = join(folder, "openapi.json");
    await writeFile(input, json);
    await createClient({ input, output: join(folder, "client"), logs: { level: "silent" } });
    const programs = { "use-types.ts": USE_TYPES, "use-client.ts": USE_CLIENT };
    for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
    expect(errorsOf(Object.keys(programs).map((name) => join(folder, name)))).toEqual([]);
    // Compiling a whole client takes seconds of processor time.
  }, 60_000);
});

const USE_TYPES = `
import type { operations, paths } from "./types.js";
type Submit = paths["/api/plans"]["post"];
export const body: Submit["requestBody"]["content"]["application/json"] = {
  steps: [{ id: "a", query_template: "SELECT 1" }],
};
export const headers: NonNullable<Submit["parameters"]["header"]> = { "x-org-id": "7d9f" };
export function statusOf(
  answer: operations["getPlan"]["responses"]["200"]["content"]["application/json"],
): "pending" | "running" | "completed" | "failed" | "cancelled" {
  return answer.data.status;
}
`;

const USE_CLIENT = `
import { executeStep, getUsage, submitPlan } from "./client";
export async function run(): Promise<number | undefined> {
  const headers = { "x-org-id": "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11" };
  const steps = [{ id: "a", query_template: "SELECT 1" }];
  const { data: plan } = await submitPlan({ body: { steps }, headers });
  // With dry_run the answer is a check and not a plan.
  if (plan === undefined || !("plan_id" in plan.data)) return undefined;
  const path = { plan_id: plan.data.plan_id, step_id: "a" };
  const { data: step } = await executeStep({ path });
  await getUsage({ headers: { "x-user-role": "admin" }, query: { from: "2026-01-01" } });
  return step?.data.step_result.row_count;
}
`;

function errorsOf(files: readonly string[]): readonly string[] {
  const program = ts.createProgram({ rootNames: files, options: STRICT });
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
}
