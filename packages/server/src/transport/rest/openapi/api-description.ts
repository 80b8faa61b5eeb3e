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
    /** Headers that the route reads itself; only the description uses this schema. */
    headers?: z.ZodType;
    /** The callers who may use the route; absent: everybody. */
    access?: Access;
  }
}

const ABOUT = `Plans of dependent steps that an agent submits and executes one at a time.

A bearer credential names the caller where the server takes API keys or tokens; else the identity headers
do: the organization, the session, the user, the agent. The server believes these only from where its
settings say: from this machine, or from a proxy that is trusted.
Every answer carries x-request-id, the caller's own or a new one. The body of a successful answer holds
the payload under data; the body of every other answer is an Error.`;

/** A relative URL, which is correct behind every host name and proxy, and the usual local one. */
const SERVERS = [
  { url: "/", description: "The server that this document was read from" },
  { url: "http://127.0.0.1:8080", description: "steward dev on this machine" },
];

/** A zod schema about to be described. */
interface OverriddenSchema {
  readonly zodSchema: $ZodType;
  readonly jsonSchema: ForeignMembers;
}

/** Members of a schema whose meaning differs between zod and OpenAPI. */
interface ForeignMembers {
  additionalProperties?: unknown;
  readOnly?: unknown;
}

/**
 * Answers may get more members later, and clients must ignore unknown ones, so the description
 * forbids unknown members only in requests, whose schemas are strict. zod's `readonly` is a
 * TypeScript type; in OpenAPI it would mean a member that no request may send.
 */
const zodToJsonConfig = {
  override: ({ zodSchema, jsonSchema }: OverriddenSchema) => {
    if (jsonSchema.additionalProperties === false && !isStrict(zodSchema)) {
      delete jsonSchema.additionalProperties;
    }
    delete jsonSchema.readOnly;
  },
};

/** Makes `app.swagger()` describe the routes that are added afterwards as OpenAPI 3.1. */
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
        {
          name: "Webhooks",
          description: "Messages that targets have not accepted, and test messages",
        },
        { name: "Retention", description: "For how long data is kept, and legal holds" },
        { name: "Approvals", description: "What waits for a person, and the decision about it" },
        { name: "Session", description: "Sign-in of people who use a browser" },
        { name: "Policies", description: "Who may do what: show, check, test, put, explain" },
        { name: "Audit", description: "What was done, by whom, and the proof of it" },
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

/** Whether an object may have only the members of its schema. */
function isStrict(schema: $ZodType): boolean {
  return schema instanceof $ZodObject && schema._zod.def.catchall instanceof $ZodNever;
}
