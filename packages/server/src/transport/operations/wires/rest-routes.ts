import type { RestRoute } from "@steward/operations";
import { dataOf } from "@steward/protocol/rest";
import type { FastifyContextConfig, FastifyRequest, FastifySchema } from "fastify";
import * as z from "zod";
import { csvFormat, sendCsv, table, wantsCsv } from "../../rest/csv-replies.js";
import { errors, json } from "../../rest/described-replies.js";
import type { RestApp } from "../../rest/rest-app.js";
import type { Implemented } from "../implement.js";
import { requestPartsOf, validationOf } from "./request-parts.js";

/** Adds the route of each operation that REST serves, with its entry in the API's description. */
export function addOperationRoutes(app: RestApp, implemented: readonly Implemented[]): void {
  for (const { operation, run, csv } of implemented) {
    const { rest, name, summary, description, tag, output } = operation;
    if (rest === undefined) continue;
    const { status = 200, answered, location } = rest;
    const parts = requestPartsOf(operation);
    const schema: FastifySchema = {
      ...{ operationId: name, summary, description, tags: [tag] },
      ...parts,
      ...(csv && { querystring: operation.input.extend(csvFormat) }),
      response: {
        [status]: csv
          ? table(answered, dataOf(output), csv.example)
          : json(answered, dataOf(output)),
        ...(operation.errors && errors(...operation.errors)),
      },
    };
    app.route({
      method: rest.method,
      url: rest.path.replace(/\{(\w+)\}/g, ":$1"),
      schema,
      config: configOf(rest),
      validatorCompiler: validationOf(operation),
      handler: async (request, reply) => {
        const call = { input: inputOf(request, "body" in parts), context: request.context };
        if (csv && wantsCsv(request)) return sendCsv(reply, csv.file, await csv.text(call));
        const payload = await run(call);
        void reply.code(status);
        if (rest.isCached === false) void reply.header("cache-control", "no-store");
        if (location !== undefined) void reply.header("location", filled(location, payload));
        return { data: payload };
      },
    });
  }
}

function configOf({ tooLargeFix, idempotencyKey }: RestRoute): FastifyContextConfig {
  const headers = idempotencyKey && {
    headers: z.object({ "idempotency-key": z.string().exactOptional().describe(idempotencyKey) }),
  };
  return { ...(tooLargeFix !== undefined && { tooLargeFix }), ...headers };
}

/** @param payload an object, whose members the path names in braces. */
function filled(path: string, payload: unknown): string {
  return path.replace(/\{(\w+)\}/g, (_braces, member: string) =>
    encodeURIComponent(String(Reflect.get(payload as object, member))),
  );
}

/** The validated parts of a request as one input; a body that the operation does not have is not read. */
function inputOf({ params, query, body }: FastifyRequest, hasBody: boolean): object {
  const parts = [params, query, ...(hasBody ? [body] : [])];
  return Object.assign({}, ...parts) as object;
}
