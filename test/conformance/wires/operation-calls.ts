import { type Operation, type OutputOf, placesOf } from "@steward/operations";

/** Calls an operation. @returns its payload, as REST has it. @throws Refusal. */
export type Ask = <Op extends Operation>(operation: Op, input?: object) => Promise<OutputOf<Op>>;

/** Sends operations to their routes. */
export function overRest(
  send: <Payload>(method: string, path: string, body?: object) => Promise<Payload>,
): Ask {
  return (operation, input = {}) => {
    const { method = "", path = "" } = operation.rest ?? {};
    const places = placesOf(operation);
    const others = Object.entries(input).filter(([name]) => !places.path.includes(name));
    const filled = path.replace(/\{(\w+)\}/g, (_braces, name: string) =>
      encodeURIComponent(String(Reflect.get(input, name))),
    );
    if (places.body.length > 0) return send(method, filled, Object.fromEntries(others));
    const query = new URLSearchParams(
      others.map(([name, value]): [string, string] => [name, String(value)]),
    );
    return send(method, `${filled}?${query.toString()}`);
  };
}

/** Calls operations by their methods. */
export function overGrpc(call: <Answer>(method: string, request: object) => Promise<Answer>): Ask {
  return async ({ grpc }, input = {}) => {
    const { method = "", response } = grpc ?? {};
    const answer = await call<object>(method.split("/")[1] ?? "", requestOf(input));
    const payload: unknown = response === undefined ? answer : Reflect.get(answer, response);
    // A response holds the members of the operation's payload.
    return withoutEmpty(payload) as never;
  };
}

function requestOf(input: object): object {
  const fields = Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    if (name === "equals") return [["equals_json", JSON.stringify(value)]];
    if (value === null) return [];
    return [[name, typeof value === "object" ? requestOf(value) : value]];
  });
  return Object.fromEntries(fields) as object;
}

/** Removes the empty texts that REST leaves out. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => member !== "" || !LEFT_OUT.has(name),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
}

const LEFT_OUT: ReadonlySet<string> = new Set(["tool_name", "intent", "next_cursor", "until"]);
