import type * as z from "zod";
import type { Command, CommandOf } from "./command.js";

/** What an operation is, who may call it, and the wires on which it is reachable. */
export interface Operation<
  Name extends string = string,
  Action extends string = string,
  In extends AnyObject = AnyObject,
  Out extends z.ZodType = z.ZodType,
> {
  /** The operation's id in REST, its method's name in gRPC, and its member in the client. */
  readonly name: Name;
  /** What policies are asked for before the request is read, on every wire. */
  readonly action: Action;
  /** How the audit log records it; absent: it only reads. */
  readonly audit?: Audit;
  /** The parameters that name what may be something else later, such as a branch; absent: none does. */
  readonly resolves?: ResolvedParameters;
  readonly summary: string;
  readonly description: string;
  /** The heading in the API reference. */
  readonly tag: string;
  /** A strict object of all parameters: the members of path, query and body. */
  readonly input: In;
  /** The payload, which REST sends under `data`. */
  readonly output: Out;
  /** Statuses of errors beside those that every operation may have; absent: the API reference names no errors. */
  readonly errors?: readonly ErrorStatus[];
  readonly rest?: RestRoute;
  readonly grpc?: GrpcMethod;
  readonly cli?: Command;
  /** Whether a client may send a request again when it does not know whether it arrived; every GET may be. */
  readonly retry?: boolean;
}

/** An object schema, whatever its members are. */
export type AnyObject = z.ZodObject<Readonly<Record<string, z.ZodType>>, z.core.$ZodObjectConfig>;

/**
 * How an operation is recorded. `withEffect`: in the transaction of its effect; `around`: before and after an effect
 * elsewhere; `before`: before data leave the service; `counted`: the same, but repeated reads are only counted.
 * `plan log`: the log of the plan records it. `nothing`: it changes nothing although its action does not say so.
 */
export type Audit =
  | {
      readonly kind: `${string}.${string}`;
      readonly time: "withEffect" | "around" | "before" | "counted";
    }
  | "plan log"
  | "nothing";

/** What a name stands for, and what it is resolved to. */
export type NamedThing =
  /** A branch, a tag or a content id: the content id of its commit. */
  | "commit"
  /** A branch that the operation moves: the content id of its commit. */
  | "branch"
  /** A plan: the revision of its steps. */
  | "plan"
  /** A step of the plan in `plan_id`: the revision that gave it its definition. */
  | "step"
  /** A migration: the digest of its script and its target. */
  | "migration"
  /** A data source: the root hash of its present schema. */
  | "schema";

/** A parameter whose name is resolved to an id when persons have to approve the operation. */
export interface ResolvedParameter {
  readonly names: NamedThing;
  /**
   * The parameter in which the operation takes the id. It is the same one, or one that the effect compares with what
   * it finds. Absent: the operation compares the id itself, from the context of the call.
   */
  readonly idIn?: string;
  /** The name when the parameter is absent; absent: then there is nothing to resolve. */
  readonly default?: string;
  /** Whether it may name what does not exist yet. */
  readonly mayBeNew?: true;
}

/** Resolved parameters by their names. */
export type ResolvedParameters = Readonly<Record<string, ResolvedParameter>>;

export type ErrorStatus = 403 | 404 | 409 | 413 | 422 | 429 | 501 | 502 | 504;

/** Where REST serves an operation. */
export interface RestRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With the input's members of the path in braces: `/billing/budgets/{budget_id}`. */
  readonly path: `/${string}`;
  /** Default: 200. */
  readonly status?: 200 | 201 | 202;
  /** The header Location, with members of the payload in braces: `/api/holds/{hold_id}`. */
  readonly location?: `/${string}`;
  /** The description of the successful reply. */
  readonly answered: string;
  /**
   * The body's name in the API reference, or its schema where operations share it, when the path has members too; else
   * the body is the input.
   */
  readonly body?: string | AnyObject;
  /** `unknown`: ids in the path that no store could hold are unknown to the service; else they are refused with 400. */
  readonly impossibleIds?: "unknown";
  /** The code of an invalid body. Default: `INVALID_ARGUMENT`. */
  readonly invalidBody?: "INVALID_PLAN";
  /** What to do about a body that is larger than a request may be. Default: to send several smaller ones. */
  readonly tooLargeFix?: string;
  /**
   * What the header Idempotency-Key does, for the API reference; absent: the operation does not take it. A client sends
   * a key of its own where its caller gives none.
   */
  readonly idempotencyKey?: string;
  /** Whether caches may keep the answer. Default: what is usual for the method. */
  readonly isCached?: false;
}

/** Where gRPC serves an operation. */
export interface GrpcMethod {
  /** `UsageService/SetBudget`. */
  readonly method: `${string}/${string}`;
  /** The field of the response that holds the payload; absent: the response is the payload. */
  readonly response?: string;
}

/** An operation that may change something says how it is recorded. */
type Audited<Action extends string> = Action extends `${string}:read`
  ? unknown
  : { readonly audit: Audit };

/**
 * An operation, whose literal types are kept so that the client, the handlers and the commands derive theirs.
 * @throws Error at import when a parameter of its path, or one that is resolved, is no member of its input.
 */
export function operation<
  const Name extends string,
  const Action extends `${string}:${string}`,
  In extends AnyObject,
  Out extends z.ZodType,
>(
  spec: Operation<Name, Action, In, Out> &
    Audited<Action> & { readonly cli?: CommandOf<z.output<In>, z.output<Out>> },
): Operation<Name, Action, In, Out> {
  const unknown = placesOf(spec).path.filter((member) => !(member in spec.input.shape));
  for (const [member, { idIn = member }] of Object.entries(spec.resolves ?? {})) {
    unknown.push(...[member, idIn].filter((each) => !(each in spec.input.shape)));
  }
  if (unknown.length > 0) throw new Error(`${spec.name} has no ${unknown.join(", ")} in its input`);
  return spec;
}

/** The members of an operation's input by the part of the HTTP request that they are sent in. */
export interface InputPlaces {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly body: readonly string[];
}

/** Where REST sends each member of the input. */
export function placesOf({ input, rest }: Pick<Operation, "input" | "rest">): InputPlaces {
  if (rest === undefined) return { path: [], query: [], body: [] };
  const path = [...rest.path.matchAll(/\{(\w+)\}/g)].map(([, member = ""]) => member);
  const others = Object.keys(input.shape).filter((member) => !path.includes(member));
  if (rest.method === "GET" || rest.method === "DELETE") return { path, query: others, body: [] };
  return { path, query: [], body: others };
}

/** The parameters of an operation. */
export type InputOf<Op extends Operation> = Infer<Op["input"]>;

/** The payload of an operation's answer. */
export type OutputOf<Op extends Operation> = Infer<Op["output"]>;

/** The values that a schema produces, read-only throughout. */
export type Infer<Schema extends z.ZodType> = ReadonlyDeep<z.output<Schema>>;

type ReadonlyDeep<T> = T extends readonly (infer Element)[]
  ? readonly ReadonlyDeep<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

/** The operations of a group, each under its own name. */
export type OperationTable = Readonly<Record<string, Operation>>;

/** Names the operations of a group; a name that is not the operation's own does not compile. */
export function operationTable<
  const Table extends { readonly [Name in keyof Table]: { readonly name: Name } },
>(table: Table): Table {
  return table;
}

/** What a client calls a group of operations by: `client.billing.setBudget({ … }, { signal })`. */
export type ClientOf<Table extends OperationTable, Options> = {
  readonly [Name in keyof Table]: ClientMethod<
    InputOf<Table[Name]>,
    OutputOf<Table[Name]>,
    Options
  >;
};

/** An input without required members may be left out. */
type ClientMethod<Input, Output, Options> =
  Record<string, never> extends Input
    ? (input?: Input, options?: Options) => Promise<Output>
    : (input: Input, options?: Options) => Promise<Output>;
