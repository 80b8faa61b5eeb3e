import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { AppError } from "@steward/kernel/errors.js";

/** A reply as JSON or, on request, CSV. */
export interface TableReply<Body> {
  readonly description: string;
  readonly content: {
    readonly "application/json": { readonly schema: z.ZodType<Body> };
    readonly "text/csv": { readonly schema: z.ZodString };
  };
}

/** The parameter of a route whose reply may be CSV. */
export const csvFormat = {
  format: z.string().exactOptional().describe("json or csv; default: as accept says"),
};

/** Describes such a reply. */
export function table<Body>(
  description: string,
  schema: z.ZodType<Body>,
  csvExample: string,
): TableReply<Body> {
  const csv = z.string().meta({ examples: [csvExample] });
  return { description, content: { "application/json": { schema }, "text/csv": { schema: csv } } };
}

/**
 * Whether a request asks for CSV: with `?format=`, else when its accept header names CSV and not
 * JSON.
 * @throws AppError `INVALID_ARGUMENT` for an unknown format.
 */
export function wantsCsv({ query, headers }: FastifyRequest): boolean {
  // The route's schema has the parameter.
  const { format } = query as { readonly format?: string };
  if (format === "csv") return true;
  if (format === "json") return false;
  if (format !== undefined) {
    const reason = "must be json or csv";
    throw new AppError("INVALID_ARGUMENT", `format: ${reason}`, {
      details: [{ field: "format", reason }],
    });
  }
  const { accept = "" } = headers;
  return /\btext\/csv\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}

/** Sends CSV as a file with this name. */
export function sendCsv(reply: FastifyReply, name: string, csv: string): FastifyReply {
  return reply
    .header("content-type", "text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="${name}.csv"`)
    .send(csv);
}
