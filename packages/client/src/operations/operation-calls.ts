import type { ClientOf, OperationTable } from "@steward/operations";
import type { Http, HttpRequest } from "../http.js";
import type { CallOptions } from "../plans.js";

/**
 * Where REST serves an operation: the method, the path with members of the input in braces, `body` when the other
 * members are sent in a body and not in the query, and `retry` when the request may be sent again, as every GET may.
 * One text for each keeps the console's first page small.
 */
type Route = `${HttpRequest["method"]} /${string}`;

/** The routes of a group of operations, by their names. */
export type Routes = Readonly<Record<string, Route>>;

/** The calls of a group: a method for each of its operations. */
export function callsOf<Table extends OperationTable>(
  http: Http,
  routes: Routes,
): ClientOf<Table, CallOptions> {
  const calls = Object.entries(routes).map(([name, route]) => [
    name,
    (input: Input = {}, { signal }: CallOptions = {}): Promise<unknown> =>
      http.call({ ...requestOf(route, input), signal }),
  ]);
  // The routes are written from the table, so each of its operations has its call.
  return Object.fromEntries(calls) as ClientOf<Table, CallOptions>;
}

type Input = Readonly<Record<string, unknown>>;

function requestOf(route: Route, input: Input): HttpRequest {
  const [method, template = "", ...flags] = route.split(" ");
  const left = new Map(Object.entries(input));
  const path = template.replace(/\{(\w+)\}/g, (_braces, member: string) => {
    const value = left.get(member);
    left.delete(member);
    return encodeURIComponent(String(value));
  });
  return {
    // A route begins with its method.
    method: method as HttpRequest["method"],
    path,
    [flags.includes("body") ? "body" : "query"]: Object.fromEntries(left),
    idempotent: method === "GET" || flags.includes("retry"),
  };
}
