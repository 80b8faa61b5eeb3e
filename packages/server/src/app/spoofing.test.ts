/**
 * Organization A sends requests that claim to be B's, in every authentication mode, on a server
 * that accepts all three: with identity headers beside its credential, repeated and in any case,
 * headers that proxies set, empty and odd values, binary metadata, and fields of bodies. Each
 * request must be refused or count as A's. Without a valid credential each must be refused.
 */
import { request } from "node:http";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Headers, type Mode, MODES, World } from "../testing/isolation/world.js";

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open("SQLite");
  client = new Client(world.address, credentials.createInsecure());
  for (const { identity, marker } of [world.a, world.b]) {
    const entry = { session_id: `session-${marker}`, content: JSON.stringify(marker) };
    expect((await overRest("POST /api/memory/entries", pairs(identity.proxy), entry)).status).toBe(
      201,
    );
  }
}, 60_000);
afterAll(async () => {
  client.close();
  await world[Symbol.asyncDispose]();
});

type Pairs = readonly (readonly [name: string, value: string])[];

const pairs = (headers: Headers): Pairs => Object.entries(headers);

/** Headers that might be trusted as an identity. */
const NAMES: readonly string[] = [
  ...["x-org-id", "x-user-id", "x-user-role", "x-user-permissions", "x-agent-id"],
  ...["x-org-id-bin", "x-user-role-bin", "org-id", "x_org_id", "x-organization-id", "x-tenant-id"],
  ...["x-forwarded-for", "x-forwarded-user", "x-forwarded-host", "x-real-ip", "forwarded", "via"],
  ...[
    "x-remote-user",
    "remote-user",
    "x-auth-request-user",
    "x-original-url",
    "x-http-method-override",
  ],
  ...[
    "x-client-cert",
    "x-ssl-client-s-dn",
    "ssl-client-verify",
    "x-forwarded-client-cert",
    "cookie",
  ],
];

/** Values that name B, an admin, a loopback address, nothing, or that are hard to parse. */
const spoofed: fc.Arbitrary<(org: string) => Pairs> = fc
  .array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      isUpper: fc.boolean(),
      value: fc.constantFrom<(org: string) => string>(
        (org) => org,
        (org) => org.toUpperCase(),
        (org) => ` ${org} `,
        (org) => `${org},${org}`,
        (org) => `{${org}}`,
        (org) => `for=127.0.0.1;host=${org}`,
        (org) => Buffer.from(org.replaceAll("-", ""), "hex").toString("base64"),
        () => "operator",
        () => "admin",
        () => "127.0.0.1",
        () => "",
        () => "\u00e4dmin",
        () => Buffer.from("\u0430dmin\u202e").toString("latin1"),
      ),
      times: fc.integer({ min: 1, max: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map(
    (drawn) => (org) =>
      drawn.flatMap(({ name, isUpper, value, times }) =>
        Array.from(
          { length: times },
          () => [isUpper ? name.toUpperCase() : name, value(org)] as const,
        ),
      ),
  );

/** Invalid credentials for every mode. */
const wrong = fc.constantFrom<Pairs>(
  [],
  [["authorization", "Bearer abc"]],
  [["authorization", "Bearer stw_live_000000000000000000000000_00"]],
  [["authorization", "Bearer e30.e30."]],
  [["authorization", "Basic cm9vdDpyb290"]],
  [["x-proxy-secret", "a-wrong-secret-of-some-length"]],
  [["x-proxy-secret", ""]],
);

describe.each(MODES)("an identity by %s", (mode) => {
  it("is no other one's, whatever headers and metadata stand beside it", async () => {
    let done = 0;
    await fc.assert(
      fc.asyncProperty(spoofed, fc.boolean(), async (headersFor, isFirst) => {
        const spoof = headersFor(world.b.id);
        const own = pairs(world.a.identity[mode]);
        const sent = isFirst ? [...spoof, ...own] : [...own, ...spoof];
        const about = JSON.stringify(spoof);
        for (const answer of [
          await overRest("GET /api/memory/entries", sent),
          await overGrpc(sent),
        ]) {
          if (answer.isDone) done += 1;
          expect({ about, ...outcomeOf(answer) }).toEqual({
            about,
            isA: answer.isDone,
            isB: false,
          });
        }
      }),
      { numRuns: 60 },
    );
    // Most requests are accepted as A's; mainly duplicate headers are refused.
    expect(done).toBeGreaterThan(20);
  });

  it("is no other one's, whatever a body or a query says", async () => {
    const fields = [
      "org_id",
      "orgId",
      "x-org-id",
      "organization",
      "tenant",
      "user_id",
      "role",
      "roles",
    ];
    for (const field of fields) {
      for (const value of [world.b.id, [world.b.id], null, "", "admin"]) {
        const body = { session_id: "s", content: '"spoofed"', [field]: value };
        const answer = await asA(mode, "POST /api/memory/entries", body);
        expect({ field, value, status: answer.status }).toEqual({ field, value, status: 400 });
      }
      const query = new URLSearchParams({ [field]: world.b.id }).toString();
      expect((await asA(mode, `GET /api/memory/entries?${query}`)).status).toBe(400);
    }
    const search = { query: world.b.marker, org_id: world.b.id };
    expect((await asA(mode, "POST /api/memory/search", search)).status).toBe(403);
    const session = `session-${world.b.marker}`;
    const found = await asA(mode, `GET /api/memory/entries?session_id=${session}`);
    expect(outcomeOf(found)).toEqual({ isA: false, isB: false });
  });
});

describe("headers and metadata without a right credential", () => {
  it("are nobody's", async () => {
    await fc.assert(
      fc.asyncProperty(spoofed, wrong, async (headersFor, credential) => {
        const sent = [...headersFor(world.b.id), ...credential];
        const about = JSON.stringify(sent);
        const rest = await overRest("GET /api/memory/entries", sent);
        expect({ about, isRefused: [400, 401, 429].includes(rest.status) }).toEqual({
          about,
          isRefused: true,
        });
        // INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAUTHENTICATED
        const { status } = await overGrpc(sent);
        expect({ about, isRefused: [3, 8, 16].includes(status) }).toEqual({
          about,
          isRefused: true,
        });
      }),
      { numRuns: 60 },
    );
  });
});

interface Answer {
  readonly status: number;
  readonly isDone: boolean;
  readonly text: string;
}

function outcomeOf({ text }: Answer): { readonly isA: boolean; readonly isB: boolean } {
  return { isA: text.includes(world.a.marker), isB: text.includes(world.b.marker) };
}

function asA(mode: Mode, asked: string, body?: object): Promise<Answer> {
  return overRest(asked, pairs(world.a.identity[mode]), body);
}

/** Sends headers unchanged, including duplicates. */
function overRest(asked: string, headers: Pairs, body?: object): Promise<Answer> {
  const [method = "", path = ""] = asked.split(" ");
  const content = body === undefined ? "" : JSON.stringify(body);
  const all = [
    ...[["host", world.address] as const, ["content-length", String(Buffer.byteLength(content))]],
    ...(body === undefined ? [] : [["content-type", "application/json"] as const]),
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    const sent = request(`${world.url}${path}`, { method, headers: all.flat() }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, isDone: statusCode < 300, text });
      });
    });
    sent.on("error", reject);
    sent.end(content);
  });
}

function overGrpc(headers: Pairs): Promise<Answer> {
  const metadata = new Metadata();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    // The library accepts only what gRPC can transport: visible ASCII, or bytes under names with
    // the suffix -bin.
    if (key.endsWith("-bin")) metadata.add(key, Buffer.from(value));
    else if (/^[\x20-\x7e]*$/.test(value)) metadata.add(key, value);
  }
  const path = "/controlplane.v1.MemoryService/ListMemoryEntries";
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer?: Buffer): void => {
      const text = answer?.toString("latin1") ?? error?.details ?? "";
      resolve({ status: error?.code ?? 0, isDone: error === null, text });
    };
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, done);
  });
}
