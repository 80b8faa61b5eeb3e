import { fastifySwagger } from "@fastify/swagger";
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from "fastify-type-provider-zod";
import type * as z from "zod";
import { withoutUnusedSchemas } from "./openapi-schemas.js";
import type { RestApp } from "./rest-app.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Headers that the description of the route tells of; the route reads them itself. */
    headers?: z.ZodType;
  }
}

const ABOUT = `Plans of dependent steps that an agent submits and executes one at a time.

Who asks is said by the headers x-org-id (a UUID), x-session-id, x-user-id, x-user-role,
x-user-permissions, x-agent-id and x-orm-model. Every answer carries x-request-id, the caller's own
or a new one. Successful bodies hold the payload under data; all others are an Error.`;

/**
 * Answers may grow members: a client must take ones it does not know, so the description does not
 * forbid them.
 */
const zodToJsonConfig = {
  override: ({ jsonSchema }: { readonly jsonSchema: { additionalProperties?: unknown } }) => {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  },
};

/** Describes the routes that are added after it as OpenAPI 3.1, and serves it as `/openapi.json`. */
export function describeApi(app: RestApp, version: string): void {
  const transform = createJsonSchemaTransform({ zodToJsonConfig });
  const transformObject = createJsonSchemaTransformObject({ zodToJsonConfig });
  app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Steward", version, description: ABOUT },
      tags: [
        { name: "Plans", description: "Submit, execute, follow, cancel" },
        { name: "State", description: "Datasets of RDF, their history, and proofs about them" },
        { name: "Billing", description: "Usage, prices, budgets, payment methods" },
        { name: "Service", description: "For those who keep the process running" },
      ],
    },
    transform: (document) => {
      const headers = document.route.config?.headers;
      return transform({ ...document, schema: { ...document.schema, headers } });
    },
    transformObject: (document) => withoutUnusedSchemas(transformObject(document)),
  });
  let json: string | undefined;
  app.get("/openapi.json", { schema: { hide: true } }, async (_request, reply) => {
    json ??= JSON.stringify(app.swagger());
    return reply.header("content-type", "application/json; charset=utf-8").send(json);
  });
}
