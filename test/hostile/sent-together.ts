import { connect } from "node:http2";
import { Client, credentials, Metadata } from "@grpc/grpc-js";

/** Many requests that arrive together, whose handling would hold the event loop in one turn. */
export interface WorstRequests {
  readonly name: string;
  /** @returns the statuses of the answers: of HTTP, or of gRPC. */
  readonly send: (target: To) => Promise<readonly number[]>;
  /** The statuses that are right, beside those of requests that are one too many; absent: 200. */
  readonly statuses?: readonly number[];
}

/** Whom requests are sent to, and by which organization. */
export interface To {
  readonly url: string;
  readonly orgId: string;
}

export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Calls a method, all calls at once on one connection. @param request encoded. @returns the codes. */
export async function grpc(
  { url, orgId }: To,
  method: string,
  request: Buffer,
  count: number,
): Promise<readonly number[]> {
  const client = new Client(new URL(url).host, credentials.createInsecure(), {
    // The client of the tests takes answers of any size.
    "grpc.max_receive_message_length": -1,
  });
  const metadata = new Metadata();
  metadata.set("x-org-id", orgId);
  const bytes = (message: Buffer): Buffer => message;
  const path = `/controlplane.v1.${method}`;
  const codes = await Promise.all(
    times(
      count,
      () =>
        new Promise<number>((resolve) => {
          client.makeUnaryRequest(path, bytes, bytes, request, metadata, (error) =>
            resolve(error?.code ?? 0),
          );
        }),
    ),
  );
  client.close();
  return codes;
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export function gets(
  { url, orgId }: To,
  path: string,
  count: number,
  settings: { readonly initialWindowSize?: number } = {},
): Promise<readonly number[]> {
  const headers = { ":path": path, "x-org-id": orgId, "x-user-role": "admin" };
  return overHttp2(
    url,
    times(count, () => ({ headers })),
    settings,
  );
}

export function posts(
  { url, orgId }: To,
  path: string,
  body: unknown,
  count: number,
): Promise<readonly number[]> {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = {
    ...{ ":path": path, ":method": "POST", "x-org-id": orgId },
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
  };
  return overHttp2(
    url,
    times(count, () => ({ headers, body: bytes })),
    {},
  );
}

/** How long a client that takes no answers waits for them, in ms. */
const UNTAKEN_MS = 3000;

/** Sends requests at once on one connection, and takes the answers. @returns their statuses. */
async function overHttp2(
  url: string,
  requests: readonly Sent[],
  settings: { readonly initialWindowSize?: number },
): Promise<readonly number[]> {
  const session = connect(url, { settings });
  session.on("error", () => undefined);
  const statuses: number[] = [];
  const answers = requests.map(
    ({ headers, body }) =>
      new Promise<void>((resolve) => {
        const stream = session.request(headers);
        stream.on("error", () => undefined).once("close", resolve);
        stream.once("response", (fields) => statuses.push(fields[":status"] ?? 0));
        stream.resume();
        stream.end(body);
      }),
  );
  const untaken = new Promise((resolve) => {
    if (settings.initialWindowSize === 0) setTimeout(resolve, UNTAKEN_MS);
  });
  await Promise.race([Promise.all(answers), untaken]);
  session.destroy();
  return statuses;
}
