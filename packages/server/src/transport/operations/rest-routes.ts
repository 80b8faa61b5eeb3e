import { placesOf, type AnyObject, type Operation } from "@steward/operations";
import { dataOf } from "@steward/protocol/rest";
import type { FastifyRequest, FastifySchema } from "fastify";
import * as z from "zod";
import { csvFormat, sendCsv, table, wantsCsv } from "../rest/csv-replies.js";
import { errors, json } from "../rest/described-replies.js";
import { storableText } from "../rest/path-text.js";
import type { RestApp } from "../rest/rest-app.js";
import type { Implemented } from "./implement.js";

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
      handler: async (request, reply) => {
        const call = { input: inputOf(request, "body" in parts), context: request.context };
        if (csv && wantsCsv(request)) return sendCsv(reply, csv.file, await csv.text(call));
        const payload = await run(call);
        void reply.code(status);
        if (location !== undefined) void reply.header("location", filled(location, payload));
        return { data: payload };
      },
    });
  }
}

/** @param payload an object, whose members the path names in braces. */
function filled(path: string, payload: unknown): string {
  return path.replace(/\{(\w+)\}/g, (_braces, member: string) =>
    String(Reflect.get(payload as object, member)),
  );
}

/** The validated parts of a request as one input; a body that the operation does not have is not read. */
function inputOf({ params, query, body }: FastifyRequest, hasBody: boolean): object {
  const parts = [params, query, ...(hasBody ? [body] : [])];
  return Object.assign({}, ...parts) as object;
}

/** The schemas of the path, the query and the body, in fastify's terms; those without members are left out. */
function requestPartsOf(operation: Operation): Readonly<Record<string, z.ZodType>> {
  const { input, rest } = operation;
  const { path, query, body } = placesOf(operation);
  const params = Object.entries(part(input, path).shape).map(([name, schema]) => [
    name,
    rest?.impossibleIds === "unknown" ? schema : schema.check(storableText),
  ]);
  return {
    ...(path.length > 0 && { params: z.object(Object.fromEntries(params)) }),
    ...(query.length > 0 && { querystring: part(input, query) }),
    ...(body.length > 0 && { body: part(input, body, rest?.body) }),
  };
}

/** The members of an input that one part of the request carries. @param id The part's name in the API's description, or its schema. */
function part(input: AnyObject, members: readonly string[], id?: string | AnyObject) {
  if (typeof id === "object") return id;
  if (members.length === Object.keys(input.shape).length) return input;
  const shape = Object.entries(input.shape).filter(([member]) => members.includes(member));
  const schema = z.strictObject(Object.fromEntries(shape));
  if (id === undefined) return schema;
  const { description, examples = [] } = input.meta() ?? {};
  const shown = (examples as readonly object[]).map((example) =>
    Object.fromEntries(Object.entries(example).filter(([member]) => members.includes(member))),
  );
  return schema.meta({ id, ...(description !== undefined && { description }), examples: shown });
}
