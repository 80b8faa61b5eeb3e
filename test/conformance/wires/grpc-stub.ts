import * as grpc from "@grpc/grpc-js";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The methods that grpc-js makes from a .proto file. */
export type Stub = grpc.Client &
  Readonly<
    Record<string, (...args: readonly unknown[]) => grpc.ClientDuplexStream<object, object>>
  >;

/** How long a call may take, in ms. */
const CALL_MS_MAX = 120_000;

/** The directory of the published .proto files. */
const PUBLISHED = fileURLToPath(
  import.meta.resolve("@steward/protocol/proto/controlplane/v1/control_plane.proto"),
);

/** Loads a .proto file like typical gRPC users: names as written, defaults filled in. */
export function loadProto(
  files: readonly string[],
  directory: string = dirname(dirname(dirname(PUBLISHED))),
): PackageDefinition {
  const options = { keepCase: true, longs: Number, defaults: true, includeDirs: [directory] };
  return loadSync([...files], options);
}

/** A stub of one service. @param service Its full name. @param address host:port. */
export function stubOf(definition: PackageDefinition, service: string, address: string): Stub {
  const path = service.split(".");
  const Service = path.reduce<unknown>(
    (scope, name) => (scope as Readonly<Record<string, unknown>>)[name],
    grpc.loadPackageDefinition(definition),
  ) as new (address: string, credentials: grpc.ChannelCredentials) => Stub;
  return new Service(address, grpc.credentials.createInsecure());
}

/** One answer to one request. @throws grpc.ServiceError. */
export function unary<Answer>(
  stub: Stub,
  method: string,
  request: object,
  metadata: grpc.Metadata = new grpc.Metadata(),
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    stub[method]?.(
      request,
      metadata,
      { deadline: Date.now() + CALL_MS_MAX },
      (error: grpc.ServiceError | null, answer?: unknown) => {
        if (error === null) resolve(withoutAbsent(answer) as Answer);
        else reject(error);
      },
    );
  });
}

/** Every answer to one request, as they come. @throws grpc.ServiceError. */
export async function* serverStream<Answer>(
  stub: Stub,
  method: string,
  request: object,
  metadata: grpc.Metadata = new grpc.Metadata(),
): AsyncGenerator<Answer, void> {
  const stream = stub[method]?.(request, metadata, { deadline: Date.now() + CALL_MS_MAX });
  try {
    for await (const answer of stream as AsyncIterable<Answer>) yield answer;
  } finally {
    stream?.cancel();
  }
}

/** Removes absent messages and optional fields, which the loader returns as null. */
function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  const fields = Object.entries(value)
    .filter(([name, field]) => field !== null && !name.startsWith("_"))
    .map(([name, field]) => [name, withoutAbsent(field)]);
  return Object.fromEntries(fields);
}
