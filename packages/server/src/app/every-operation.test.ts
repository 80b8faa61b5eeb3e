import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { ServiceError } from "@grpc/grpc-js";
import { createClient, StewardError } from "@steward/client";
import { operations, type Operation } from "@steward/operations";
import { ErrorInfoSchema, StatusSchema } from "@steward/protocol/grpc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GOOD_KEY, StripeServer } from "../adapters/payment-stripe/testing/stripe-server.js";
import { runHere } from "../cli/testing/run-here.js";
import { actionGroupsOf } from "../policies/action-groups.js";
import { BareClient } from "../transport/grpc/testing/bare-client.js";
import { methodOf } from "../transport/operations/wires/grpc-methods.js";
import { memberOf, valueFieldOf } from "../transport/operations/wires/proto-messages.js";
import { actionOf } from "../transport/operations.js";
import { openApp, type App } from "./app.js";

/**
 * Runs every operation with the example of its own schema on every wire on which it is reachable: for a caller who
 * may, for one who may not, and for one whose organization is malformed. Each wire has organizations of its own, so
 * that all of them find the same state.
 */
const directory = mkdtempSync(join(tmpdir(), "steward-every-operation-"));
const OPERATIONS = Object.entries(operations).flatMap(([group, table]) =>
  Object.values<Operation>(table).map((operation) => ({ ...operation, group })),
);
type Listed = (typeof OPERATIONS)[number];
type Example = Readonly<Record<string, unknown>>;

interface Caller {
  readonly orgId: string;
  readonly role: string;
}

let app: App;
let bare: BareClient;
let stripe: StripeServer;
beforeAll(async () => {
  stripe = await StripeServer.start();
  app = await openApp({
    port: 0,
    logLevel: "silent",
    dataDir: directory,
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    payments: { secretKey: GOOD_KEY, apiBase: stripe.url },
  });
  bare = new BareClient(app.address.port);
});
afterAll(async () => {
  bare.close();
  await app[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const url = (): string => `http://127.0.0.1:${String(app.address.port)}`;

/** The wires: each makes the call and tells its outcome, `answered` or the code of the error. */
const WIRES = {
  rest: async ({ group, name, output, ...operation }: Listed, caller: Caller) => {
    const client = createClient({ baseUrl: url(), ...caller, maxRetries: 0 });
    // The operations of a group are the methods of the client's group.
    const calls = Reflect.get(client, group) as Record<string, (input: object) => Promise<unknown>>;
    try {
      const payload = await calls[name]?.(exampleOf(operation));
      expect(output.safeParse(payload)).toMatchObject({ success: true });
      return "answered";
    } catch (error) {
      if (error instanceof StewardError) return error.code;
      throw error;
    }
  },
  grpc: async ({ grpc, ...operation }: Listed, { orgId, role }: Caller) => {
    if (grpc === undefined) return "";
    const method = grpc.method.split("/")[1] ?? "";
    const metadata = { "x-org-id": orgId, "x-user-role": role };
    try {
      await bare.call(method, messageOf(methodOf(grpc).input, exampleOf(operation)), { metadata });
      return "answered";
    } catch (error) {
      return reasonOf(error as ServiceError);
    }
  },
  cli: async ({ cli, ...operation }: Listed, { orgId, role }: Caller) => {
    const example = exampleOf(operation);
    const texts = (cli?.arguments ?? []).flatMap(({ member }) =>
      member in example ? [String(example[member])] : [],
    );
    const flags = (cli?.options ?? []).flatMap(({ member, flags: flag }) =>
      member in example ? [flag.split(" ")[0] ?? "", String(example[member])] : [],
    );
    const roles = cli?.role === undefined ? [] : ["--role", role];
    const args = [...(cli?.command.split(" ") ?? []), ...texts, ...flags, ...roles];
    const { code, stderr } = await runHere([...args, "--json", "--org", orgId], {
      env: { SERVICE_URL: url() },
    });
    return code === 0 ? "answered" : (JSON.parse(stderr) as { code: string }).code;
  },
};

function exampleOf({ input }: Pick<Operation, "input">): Example {
  const { examples = [] } = input.meta() ?? {};
  const [example = {}] = examples as readonly Record<string, unknown>[];
  return example;
}

/** An example in the fields of the .proto. */
function messageOf({ fields }: DescMessage, example: Example): Record<string, unknown> {
  const given = fields.map((field) => [field, example[memberOf(field, example)]] as const);
  return Object.fromEntries(
    given.flatMap(([{ name, message }, value]) =>
      value === undefined ? [] : [[name, message === undefined ? value : within(message, value)]],
    ),
  );
}

function within(message: DescMessage, value: unknown): unknown {
  const only = valueFieldOf(message);
  if (only !== undefined) return { [only.name]: value };
  const of = (each: unknown) => messageOf(message, each as Example);
  return Array.isArray(value) ? value.map(of) : of(value);
}

/** The code of an error, as its details say it. */
function reasonOf({ metadata }: ServiceError): string {
  const [bytes] = metadata.get("grpc-status-details-bin");
  const { details } = fromBinary(StatusSchema, bytes as Buffer);
  const infos = details.flatMap((any) => anyUnpack(any, ErrorInfoSchema) ?? []);
  return infos[0]?.reason ?? "";
}

/** The outcome on each wire that has the operation, in an organization of its own unless one is given. */
async function outcomes(operation: Listed, role: string, orgId?: string) {
  const found: Record<string, string> = {};
  for (const wire of ["rest", "grpc", "cli"] as const) {
    if (operation[wire] === undefined) continue;
    found[wire] = await WIRES[wire](operation, { orgId: orgId ?? crypto.randomUUID(), role });
  }
  return found;
}

/** The operation without its command, where that cannot act in a role. */
function inRole({ cli, ...operation }: Listed): Listed {
  return cli?.role === undefined ? operation : { ...operation, cli };
}

/** The same outcome on each of the wires. */
function everywhere(wires: object, outcome: string | undefined) {
  return Object.fromEntries(Object.keys(wires).map((wire) => [wire, outcome]));
}

/** What an example comes to in an empty organization. */
const OUTCOMES = ["answered", "NOT_FOUND", "PLAN_NOT_FOUND", "STEP_NOT_FOUND", "STATE_CONFLICT"];
/** All but those whose wires are all by hand. */
const DERIVED = OPERATIONS.filter(({ rest, grpc, cli }) => rest ?? grpc ?? cli);
describe.each(DERIVED)("$name", (operation) => {
  it("does the same on every wire for a caller who may", async () => {
    const groups = actionGroupsOf(actionOf(operation.name));
    const found = await outcomes(
      inRole(operation),
      groups.includes("operation") ? "operator" : "admin",
    );
    // What an example names is not there, or has another version.
    expect(OUTCOMES).toContain(found["rest"]);
    expect(found).toEqual(everywhere(found, found["rest"]));
  });

  it("is refused on every wire to a caller who may not", async () => {
    // A role has no rights but its own; one that no policy knows would count as none here.
    const role = operation.group === "billing" ? "agent" : "billing";
    const found = await outcomes(inRole(operation), role);
    expect(found).toEqual(everywhere(found, "POLICY_DENIED"));
  });

  it("is refused on every wire to a caller whose organization is malformed", async () => {
    const found = await outcomes(operation, "operator", "nowhere");
    expect(found).toEqual(everywhere(found, "INVALID_ARGUMENT"));
  });
});

const MAKING = OPERATIONS.flatMap(({ name, input, rest }) =>
  rest?.location === undefined || rest.path.includes("{")
    ? []
    : [{ name, input, ...rest, location: rest.location }],
);
it.each(MAKING)("$name names in Location what it has made", async (operation) => {
  const { method, path, status, location } = operation;
  const headers = { "x-org-id": crypto.randomUUID(), "x-user-role": "operator" };
  const response = await fetch(`${url()}${path}`, {
    ...{ method, headers: { ...headers, "content-type": "application/json" } },
    body: JSON.stringify(exampleOf(operation)),
  });
  const { data } = (await response.json()) as { readonly data: Readonly<Record<string, unknown>> };
  expect(response.status).toBe(status);
  const made = location.replace(/\{(\w+)\}/g, (_braces, member: string) => String(data[member]));
  expect(response.headers.get("location")).toBe(made);
});
