import { fastifySwagger } from "@fastify/swagger";
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from "fastify-type-provider-zod";
import type * as z from "zod";
import { $ZodNever, $ZodObject, type $ZodType } from "zod/v4/core";
import type { RestApp } from "../rest-app.js";
import { withCompleteOperations } from "./complete-operations.js";
import { SECURITY_SCHEMES, securityOf, type Access } from "./identity.js";
import { withoutUnusedSchemas } from "./used-schemas.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Headers that the description of the route tells of; the route reads them itself. */
    headers?: z.ZodType;
    /** Who may send requests of the route; nothing: anybody. */
    access?: Access;
  }
}

const ABOUT = `Plans of dependent steps that an agent submits and executes one at a time.

A bearer credential names the caller where the server takes API keys or tokens; else the identity headers
do: the organization, the session, the user, the agent. The server believes these only from where its
settings say: from this machine, or from a proxy that is trusted.
Every answer carries x-request-id, the caller's own or a new one. The body of a successful answer holds
the payload under data; the body of every other answer is an Error.`;

/** Relative to the document, so that it is right behind every name and proxy; and the usual one. */
const SERVERS = [
  { url: "/", description: "The server that this document was read from" },
  { url: "http://127.0.0.1:8080", description: "steward dev on this machine" },
];

/** A schema as zod has it, and as it is about to be described. */
interface OverriddenSchema {
  readonly zodSchema: $ZodType;
  readonly jsonSchema: ForeignMembers;
}

/** The members of a schema that mean something else in OpenAPI than they do in zod. */
interface ForeignMembers {
  additionalProperties?: unknown;
  readOnly?: unknown;
}

/**
 * Answers may grow members: a client must take ones it does not know, so the description forbids only
 * those of requests, whose schemas are strict. What zod calls read-only is a type of TypeScript; in OpenAPI it would be a member that
 * no request may send.
 */
const zodToJsonConfig = {
  override: ({ zodSchema, jsonSchema }: OverriddenSchema) => {
    if (jsonSchema.additionalProperties === false && !isStrict(zodSchema)) {
      delete jsonSchema.additionalProperties;
    }
    delete jsonSchema.readOnly;
  },
};

/** Has `app.swagger()` describe the routes that are added after it as OpenAPI 3.1. */
export function describeApi(app: RestApp, version: string): void {
  const transform = createJsonSchemaTransform({ zodToJsonConfig });
  const transformObject = createJsonSchemaTransformObject({ zodToJsonConfig });
  app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Steward", version, description: ABOUT },
      servers: SERVERS,
      components: { securitySchemes: SECURITY_SCHEMES },
      tags: [
        { name: "Plans", description: "Submit, execute, follow, cancel" },
        { name: "Catalog", description: "Tools, data sources and tables, for an agent" },
        { name: "State", description: "Datasets of RDF, their history, and proofs about them" },
        { name: "Memory", description: "What agents have done and noted, searched by meaning" },
        { name: "Billing", description: "Usage, prices, budgets, payment methods" },
        { name: "Keys", description: "API keys: create, list, rotate, revoke" },
        { name: "Policies", description: "Who may do what: show, check, test, put, explain" },
        { name: "Service", description: "For those who keep the process running" },
      ],
    },
    transform: (document) => {
      const { headers, access = "anybody" } = document.route.config ?? {};
      const security = securityOf(access);
      return transform({ ...document, schema: { ...document.schema, headers, security } });
    },
    transformObject: (document) =>
      withCompleteOperations(withoutUnusedSchemas(transformObject(document))),
  });
}

/** Whether an object has the members of its schema and no others. */
function isStrict(schema: $ZodType): boolean {
  return schema instanceof $ZodObject && schema._zod.def.catchall instanceof $ZodNever;
}
