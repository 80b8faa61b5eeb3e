import type { ClientOf, OperationTable } from "@steward/operations";
import type { Http, HttpRequest } from "../http.js";
import type { SubmitOptions } from "../plans.js";

/**
 * Where REST serves an operation: the method, the path with members of the input in braces, `body` when the other
 * members are sent in a body and not in the query, `retry` when the request may be sent again, as every GET may, and `key`
 * when the server knows a repeated request by its key.
 * One text for each keeps the console's first page small.
 */
type Route = `${HttpRequest["method"]} /${string}`;

/** The routes of a group of operations, by their names. */
export type Routes = Readonly<Record<string, Route>>;

/** The calls of a group: a method for each of its operations. */
export function callsOf<Table extends OperationTable>(
  http: Http,
  routes: Routes,
): ClientOf<Table, SubmitOptions> {
  const calls = Object.entries(routes).map(([name, route]) => [
    name,
    (input: Input = {}, { signal, idempotencyKey }: SubmitOptions = {}): Promise<unknown> =>
      http.call({ ...requestOf(route, input, idempotencyKey), signal }),
  ]);
  // The routes are written from the table, so each of its operations has its call.
  return Object.fromEntries(calls) as ClientOf<Table, SubmitOptions>;
}

type Input = Readonly<Record<string, unknown>>;

/** A key that the caller gives, or a random one: it makes automatic retries safe. */
export function keyHeader(key: string = crypto.randomUUID()): Readonly<Record<string, string>> {
  return { "idempotency-key": key };
}

function requestOf(route: Route, input: Input, key: string | undefined): HttpRequest {
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
    ...(flags.includes("key") && { headers: keyHeader(key) }),
    idempotent: method === "GET" || flags.includes("retry"),
  };
}
