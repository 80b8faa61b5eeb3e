import { fileURLToPath } from "node:url";
import {
  Client,
  credentials,
  Metadata,
  type ChannelCredentials,
  type ClientReadableStream,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

/** A message in proto-loader's form: fields by the names in the file. */
export type Message = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  /** Time limit of the call, in ms. */
  readonly timeoutMs?: number;
}

const PROTO_FILES = [
  "controlplane/v1/control_plane.proto",
  "controlplane/v1/approvals.proto",
  "controlplane/v1/catalog.proto",
  "controlplane/v1/memory.proto",
  "controlplane/v1/usage.proto",
  "grpc/health/v1/health.proto",
].map((file) => fileURLToPath(import.meta.resolve(`@steward/protocol/proto/${file}`)));

/** A client that uses only the .proto files, none of this program's code. */
export class BareClient extends Client {
  static readonly #methods = allMethods();

  constructor(port: number, channelCredentials: ChannelCredentials = credentials.createInsecure()) {
    super(`localhost:${String(port)}`, channelCredentials);
  }

  /** One request, one response. */
  call(method: string, request: Message, options: CallOptions = {}): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.start(method, request, options, (error, response) => {
        if (error === null) resolve(response ?? {});
        else reject(error);
      });
    });
  }

  /** Like `call`, but the caller can cancel it. @returns the function that cancels the call. */
  start(
    method: string,
    request: Message,
    options: CallOptions,
    done: (error: ServiceError | null, response?: Message) => void,
  ): { cancel(): void } {
    return this.makeUnaryRequest<Message, Message>(
      ...BareClient.#start(method, request, options),
      done,
    );
  }

  /** One request, many responses. */
  stream(
    method: string,
    request: Message,
    options: CallOptions = {},
  ): ClientReadableStream<Message> {
    return this.makeServerStreamRequest<Message, Message>(
      ...BareClient.#start(method, request, options),
    );
  }

  static #start(method: string, request: Message, options: CallOptions) {
    const definition = BareClient.#methods[method];
    if (definition === undefined) throw new Error(`the .proto files have no method ${method}`);
    const { path, requestSerialize, responseDeserialize } = definition;
    const sent = [metadataOf(options), deadlineOf(options)] as const;
    return [path, requestSerialize, responseDeserialize, request, ...sent] as const;
  }
}

function metadataOf({ metadata = {} }: CallOptions): Metadata {
  const sent = new Metadata();
  for (const [key, value] of Object.entries(metadata)) sent.set(key, value);
  return sent;
}

function deadlineOf({ timeoutMs }: CallOptions): { deadline?: number } {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

function allMethods(): ServiceDefinition {
  const loaded = loadSync(PROTO_FILES, {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
  });
  // The names are those of services.
  return {
    ...(loaded["controlplane.v1.ControlPlaneService"] as ServiceDefinition),
    ...(loaded["controlplane.v1.ApprovalService"] as ServiceDefinition),
    ...(loaded["controlplane.v1.CatalogService"] as ServiceDefinition),
    ...(loaded["controlplane.v1.MemoryService"] as ServiceDefinition),
    ...(loaded["controlplane.v1.UsageService"] as ServiceDefinition),
    ...(loaded["grpc.health.v1.Health"] as ServiceDefinition),
  };
}
