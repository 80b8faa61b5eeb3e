import { toAlgebra } from "@traqula/algebra-sparql-1-2";
import { Parser } from "@traqula/parser-sparql-1-2";
import { AppError } from "@steward/kernel/errors.js";
import type { Operation, ToAlgebra } from "../algebra.js";
import type { Query } from "../syntax.js";
import type { Oxigraph } from "./oxigraph.js";

/** A query as text and as algebra. */
export interface ParsedQuery {
  readonly syntax: Query;
  readonly algebra: Operation;
}

const parser = new Parser();

/**
 * Parses a query.
 * @throws AppError `INVALID_ARGUMENT`, with the position, for malformed queries, for updates, and
 * for queries to other servers (SERVICE).
 */
export function parseQuery(sparql: string, oxigraph: Oxigraph): ParsedQuery {
  const syntax = parse(sparql, oxigraph);
  if (asksService(syntax))
    throw refused("SERVICE would query another server, which is not supported");
  // Our types cover the used part of the package's types.
  const algebra = (toAlgebra as unknown as ToAlgebra)(syntax, { quads: false });
  return { syntax, algebra };
}

/** The error for a query that the engine refuses. */
export function engineRefusal(error: unknown): AppError {
  const message = error instanceof Error ? error.message : String(error);
  const [, line, column, reason] = /^error at (\d+):(\d+): (.*)$/s.exec(message) ?? [];
  const place = `line ${line ?? ""}, column ${column ?? ""}: ${reason ?? ""}`;
  return refused(line === undefined ? message : place, error);
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError("INVALID_ARGUMENT", `sparql: ${reason}`, { cause });
}

function parse(sparql: string, oxigraph: Oxigraph): Query {
  let parsed: { readonly type: string };
  try {
    parsed = parser.parse(sparql);
  } catch (error) {
    refuseMalformed(sparql, oxigraph);
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw refused(reason, error);
  }
  if (parsed.type === "update") {
    throw refused("an update is not a query: datasets are changed by POST /api/state/import");
  }
  return parsed as Query;
}

/** The engine's messages about malformed queries are better than the parser's. */
function refuseMalformed(sparql: string, oxigraph: Oxigraph): void {
  try {
    new oxigraph.Store().query(sparql);
  } catch (error) {
    throw engineRefusal(error);
  }
}

function asksService(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  if ("subType" in part && part.subType === "service") return true;
  return Object.values(part).some(asksService);
}
