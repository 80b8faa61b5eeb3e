import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRestServer, type TestRestServer } from "../testing/rest-server.js";

let server: TestRestServer;
let document: Document;

beforeAll(async () => {
  server = await startRestServer();
  // The server generates the document; the tests declare only the parts they use.
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
});
afterAll(() => server[Symbol.asyncDispose]());

describe("/openapi.json", () => {
  it("describes every operation, parameter, schema and field in words", () => {
    const { schemas, parameters } = document.components;
    const bare = [
      ...operations()
        .filter(({ summary, description }) => summary === undefined || description === undefined)
        .map(({ operationId }) => operationId),
      ...operations().flatMap(bareParts),
      ...Object.entries(parameters).flatMap(([name, parameter]) =>
        parameter.description === undefined ? [name] : [],
      ),
      ...Object.entries(schemas).flatMap(([name, schema]) => [
        ...(schema.description === undefined ? [name] : []),
        ...bareFields(schema, name),
      ]),
    ];
    expect(bare).toEqual([]);
    expect(document.tags.filter(({ description }) => description === undefined)).toEqual([]);
    const used = new Set(operations().flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it("names servers: the one that it was read from first", () => {
    expect(document.servers.map(({ url }) => url)).toEqual(["/", "http://127.0.0.1:8080"]);
  });

  it("says of every operation who may send it, and lists the identity headers where they count", () => {
    const schemes = Object.keys(document.components.securitySchemes);
    const identity = Object.keys(document.components.parameters).map(
      (name) => `#/components/parameters/${name}`,
    );
    for (const operation of operations()) {
      const { path, security, parameters = [] } = operation;
      const isForCallers = /^\/(api|audit)\//.test(path) || path === "/metrics";
      const wanted = isForCallers
        ? [{ bearer: [] }, { organization: [] }, {}]
        : path.startsWith("/billing/")
          ? [{ bearer: [] }, { billingRole: [] }, { billingPermission: [] }]
          : [];
      expect([path, security]).toEqual([path, wanted]);
      const references = parameters.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]));
      expect([path, references]).toEqual([path, wanted.length === 0 ? [] : identity]);
      for (const name of wanted.flatMap((way) => Object.keys(way))) expect(schemes).toContain(name);
    }
    const headers = Object.values(document.components.parameters).map(({ name }) => name);
    expect(headers).toEqual(
      expect.arrayContaining(["x-org-id", "x-user-role", "x-user-permissions", "x-session-id"]),
    );
  });

  it("allows no fields but the described ones in requests, and any further ones in answers", () => {
    const { schemas } = document.components;
    const requests = operations().flatMap(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => JSON.stringify(schema)),
    );
    const named = requests.flatMap((json) => [...json.matchAll(/schemas\/(\w+)"/g)]);
    const open = named.filter(([, name = ""]) => schemas[name]?.additionalProperties !== false);
    expect(open.map(([, name]) => name)).toEqual(["UsageCloudEvent"]);
    expect(schemas["Plan"]?.additionalProperties).toBeUndefined();
  });

  it("gives an example of every body and successful answer, true to its schema", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: "https://steward.test/openapi" });
    const wrong = operations().flatMap(({ operationId, requestBody, responses }) => {
      const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
      const media = [requestBody, ...answers.map(([, answer]) => answer)].flatMap((body) =>
        Object.entries(body?.content ?? {}),
      );
      return media
        .filter(([type]) => type !== "text/html")
        .flatMap(([type, { schema, example }]) => {
          const rooted = JSON.parse(
            JSON.stringify(schema).replaceAll('"#/', '"https://steward.test/openapi#/'),
          ) as object;
          if (example !== undefined && ajv.validate(rooted, example)) return [];
          return [`${operationId} ${type}: ${JSON.stringify(example)} ${ajv.errorsText()}`];
        });
    });
    expect(wrong).toEqual([]);
  });
});

/** The undescribed fields and parameters of an operation, as paths. */
function bareParts({ operationId, parameters = [], requestBody, responses }: Operation): string[] {
  const bodies = [requestBody, ...Object.values(responses)];
  return [
    ...parameters.flatMap(({ $ref, name, description }) =>
      $ref === undefined && description === undefined ? [`${operationId} ${name ?? ""}`] : [],
    ),
    ...bodies.flatMap((body) =>
      Object.values(body?.content ?? {}).flatMap(({ schema }) => bareFields(schema, operationId)),
    ),
  ];
}

/**
 * The fields below a schema that have no description, neither their own nor that of a referenced
 * schema.
 */
function bareFields(schema: Schema, path: string): string[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const below = [items, additionalProperties, ...anyOf].filter((next) => typeof next === "object");
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${path}.${name}`]),
      ...bareFields(property, `${path}.${name}`),
    ]),
    ...below.flatMap((next) => bareFields(next, path)),
  ];
}

function isDescribed({ description, $ref }: Schema): boolean {
  if (description !== undefined) return true;
  const target = $ref === undefined ? undefined : document.components.schemas[nameOf($ref)];
  return target?.description !== undefined;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function operations(): readonly (Operation & { readonly path: string })[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ ...operation, path })),
  );
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly description?: string;
}

interface Body {
  readonly content?: Readonly<
    Record<string, { readonly schema: Schema; readonly example?: unknown }>
  >;
}

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}
