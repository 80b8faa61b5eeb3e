import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  ScalarType,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { type Client, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  ApprovalService,
  CatalogService,
  ControlPlaneService,
  MemoryService,
  UsageService,
} from "@steward/protocol/grpc";
import type { Headers } from "./world.js";

/** The answer of an operation over any protocol. */
export interface Answer {
  readonly status: string;
  readonly text: string;
}

/** Chooses a text for a field; undefined keeps the example's value, or leaves the field out. */
export type Choose = (field: string) => string | undefined;

/** A request to send, with all of its text. */
export interface Request {
  readonly text: string;
  send(who: Headers): Promise<Answer>;
}

/** An operation of the service over one protocol. */
export interface Operation {
  readonly name: string;
  /** Builds a request; `rewrite` is applied to every chosen text. */
  request(choose: Choose): Request;
}

/** How long an endless answer, such as a stream of events, is read, in ms. */
const STREAM_MS = 150;

/** Every operation that REST describes. @param streamMs of plans that are over, streams end by themselves. */
export async function restOperations(
  url: string,
  streamMs: number = STREAM_MS,
): Promise<readonly Operation[]> {
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as Description;
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      restOperation({ url, streamMs }, method, path, operation),
    ),
  );
}

/** Every method of every service. */
export function grpcOperations(client: Client, streamMs: number = STREAM_MS): readonly Operation[] {
  const services = [
    ControlPlaneService,
    ApprovalService,
    CatalogService,
    MemoryService,
    UsageService,
  ];
  return services.flatMap((service) =>
    service.methods.map((method) => ({
      name: `${service.name}.${method.name}`,
      request: (choose) => {
        const message = filled(method.input, choose, 0);
        const bytes = Buffer.from(toBinary(method.input, message));
        return {
          text: toJsonString(method.input, message),
          send: (who) =>
            call(
              client,
              `/${service.typeName}/${method.name}`,
              bytes,
              who,
              method.methodKind === "unary" ? undefined : streamMs,
              (answer) => toJsonString(method.output, fromBinary(method.output, answer)),
            ),
        };
      },
    })),
  );
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}
interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in?: string; readonly name?: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

function restOperation(
  { url, streamMs }: { readonly url: string; readonly streamMs: number },
  method: string,
  path: string,
  { operationId, parameters = [], requestBody }: OperationObject,
): Operation {
  const queries = parameters.flatMap((each) => (each.in === "query" ? (each.name ?? []) : []));
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return {
    name: operationId,
    request: (choose) => {
      const filledPath = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
        const value = choose(name);
        return encodeURIComponent(value ?? "none");
      });
      const query = new URLSearchParams();
      for (const name of queries) {
        const value = choose(name);
        if (value !== undefined) query.set(name, value);
      }
      const key = choose("idempotency-key");
      const example = replaced(content?.example, choose);
      const body = bodyOf(example);
      const target = `${filledPath}?${query.toString()}`;
      const headers = {
        ...(type === undefined ? {} : { "content-type": type }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      };
      const said = [decodeURIComponent(filledPath), ...query.values(), body ?? "", key ?? ""];
      return {
        text: said.join(" "),
        send: (who) =>
          fetched(
            `${url}${target}`,
            {
              method: method.toUpperCase(),
              headers: { ...who, ...headers },
              ...(body === undefined ? {} : { body }),
            },
            streamMs,
          ),
      };
    },
  };
}

function bodyOf(example: unknown): string | undefined {
  if (example === undefined || typeof example === "string") return example;
  return JSON.stringify(example);
}

/** An example with the chosen texts. */
function replaced(value: unknown, choose: Choose, field = ""): unknown {
  if (typeof value === "string") return choose(field) ?? value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, choose, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, replaced(each, choose, key)]),
  );
}

async function fetched(url: string, init: RequestInit, streamMs: number): Promise<Answer> {
  const ended = new AbortController();
  const response = await fetch(url, { ...init, signal: ended.signal });
  const isStream = response.headers.get("content-type")?.includes("event-stream") ?? false;
  const timer = isStream ? setTimeout(() => ended.abort(), streamMs) : undefined;
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  const headers = [...response.headers].filter(([name]) => name === "location");
  return { status: String(response.status), text: `${text}${JSON.stringify(headers)}` };
}

/** A message with chosen texts: one element in each list, and all nested messages. */
function filled(schema: DescMessage, choose: Choose, depth: number): ReturnType<typeof create> {
  const message = create(schema);
  const fields = reflect(schema, message);
  for (const field of schema.fields) {
    const value = valueOf(field, choose, depth);
    if (value === undefined) continue;
    if (field.fieldKind === "list") fields.get(field).add(value);
    else fields.set(field, value);
  }
  return message;
}

function valueOf(
  field: DescField,
  choose: Choose,
  depth: number,
): string | ReturnType<typeof reflect> | undefined {
  const isText =
    field.fieldKind === "scalar" || field.fieldKind === "list"
      ? field.scalar === ScalarType.STRING
      : false;
  if (isText) return choose(field.name) ?? GRPC_EXAMPLES[field.name];
  const inner =
    field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
  if (inner === undefined || depth === 2) return undefined;
  return reflect(inner, filled(inner, choose, depth + 1));
}

/** Values that make a request valid without chosen texts. */
const GRPC_EXAMPLES: Readonly<Record<string, string>> = {
  ...{ query_template: "SELECT name FROM things", step_id: "s", query: "things" },
  ...{ content: '{"note":"x"}', from: "2026-01-01", to: "2026-12-31" },
};

function call(
  client: Client,
  path: string,
  request: Buffer,
  who: Headers,
  streamMs: number | undefined,
  read: (answer: Buffer) => string,
): Promise<Answer> {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(who)) metadata.set(key, value);
  const same = (bytes: Buffer): Buffer => bytes;
  const failed = ({ code, details, metadata: trailers }: ServiceError): Answer => ({
    status: String(code),
    text: details + JSON.stringify(trailers.getMap(), (_key, value: unknown) => shownBytes(value)),
  });
  return new Promise((resolve) => {
    if (streamMs === undefined) {
      client.makeUnaryRequest(path, same, same, request, metadata, (error, answer) => {
        resolve(
          error === null ? { status: "OK", text: read(answer ?? Buffer.alloc(0)) } : failed(error),
        );
      });
      return;
    }
    const stream = client.makeServerStreamRequest(path, same, same, request, metadata);
    const texts: string[] = [];
    const done = (): void => {
      clearTimeout(timer);
      resolve({ status: "OK", text: texts.join("\n") });
    };
    const timer = setTimeout(() => {
      stream.cancel();
      done();
    }, streamMs);
    stream.on("data", (bytes: Buffer) => texts.push(read(bytes)));
    stream.on("end", done);
    stream.on("error", (error: ServiceError) => {
      clearTimeout(timer);
      resolve(failed(error));
    });
  });
}

function shownBytes(value: unknown): unknown {
  const isBytes = typeof value === "object" && value !== null && "data" in value;
  return isBytes ? Buffer.from(value.data as number[]).toString("latin1") : value;
}
