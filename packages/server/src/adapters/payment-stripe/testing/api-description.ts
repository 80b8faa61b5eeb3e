import { Ajv, type ValidateFunction } from "ajv";

/** The parts of an OpenAPI 3.0 description that are read. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** One exchange to be checked. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** The query of a GET, the form of a POST. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly status: number;
  readonly body: unknown;
}

/** What the provider sends beside the resources of the described part: Stripe's whole description has 10 MB. */
const NOT_DESCRIBED = ["POST /v1/checkout/sessions"];

/** Holds exchanges against the provider's own description of its API. */
export class ApiDescription {
  readonly #description: OpenApi;
  readonly #root: object;
  /** Request values are sent as text, so `limit=100` must be read as a number. */
  readonly #requests = new Ajv({ strict: false, coerceTypes: true, validateFormats: false });
  readonly #responses = new Ajv({ strict: false, validateFormats: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(description: OpenApi) {
    this.#description = description;
    this.#root = {
      components: nullableToNull((description as { components?: unknown }).components),
    };
  }

  /** The violations of the description by an exchange; empty when there are none. */
  violations(exchange: Exchange): readonly string[] {
    const { method, path, status } = exchange;
    const template = Object.keys(this.#description.paths).find((p) => templateMatches(p, path));
    const operation = this.#description.paths[template ?? ""]?.[method.toLowerCase()];
    if (operation === undefined) {
      const exchange = `${method} ${path}`;
      return NOT_DESCRIBED.includes(exchange) ? [] : [`${exchange} is not described`];
    }
    const name = `${method} ${template ?? ""}`;
    const response = operation.responses[String(status)] ?? operation.responses["default"];
    const described = response?.content["application/json"]?.schema ?? {};
    return [
      ...this.#check(
        this.#requests,
        `${name} request`,
        requestSchema(operation),
        nested(exchange.parameters),
      ),
      ...this.#check(this.#responses, `${name} ${String(status)}`, described, exchange.body),
    ];
  }

  #check(ajv: Ajv, name: string, schema: object, value: unknown): readonly string[] {
    let validate = this.#compiled.get(name);
    if (validate === undefined) {
      validate = ajv.compile({ ...this.#root, ...(nullableToNull(schema) as object) });
      this.#compiled.set(name, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      (error) =>
        `${name}: ${error.instancePath} ${error.message ?? ""} ${JSON.stringify(error.params)}`,
    );
  }
}

/** A form's values as the description has them: `metadata[a]` is the member `a` of the object `metadata`. */
function nested(parameters: Exchange["parameters"]): object {
  const values: Record<string, string | Record<string, string>> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const [, outer, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) values[name] = value;
    else values[outer] = { ...Object(values[outer]), [inner]: value };
  }
  return values;
}

function requestSchema(operation: Operation): object {
  const form = operation.requestBody?.content["application/x-www-form-urlencoded"]?.schema;
  if (form !== undefined) return form;
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(query.map((parameter) => [parameter.name, parameter.schema])),
    required: query.filter((parameter) => parameter.required).map((parameter) => parameter.name),
  };
}

function templateMatches(template: string, path: string): boolean {
  const parts = template.split("/");
  const actual = path.split("/");
  return (
    parts.length === actual.length &&
    parts.every((part, index) => part.startsWith("{") || part === actual[index])
  );
}

/** OpenAPI 3.0 says `nullable`, JSON Schema says `null` is one of the types. */
function nullableToNull(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(nullableToNull);
  if (typeof schema !== "object" || schema === null) return schema;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, nullableToNull(value)]),
  );
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : rest;
}
