import { once } from "node:events";
import {
  connect,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from "node:http2";
import { buffer } from "node:stream/consumers";

/** An HTTP/2 connection that is closed when it is disposed. */
export type Http2Session = ClientHttp2Session & AsyncDisposable;

/** The answer to one request over HTTP/2. */
export interface Http2Answer {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders;
}

/** Connects, and accepts any certificate. */
export function openHttp2(url: string): Http2Session {
  const session = connect(url, { rejectUnauthorized: false });
  return Object.assign(session, {
    async [Symbol.asyncDispose]() {
      if (session.destroyed) return;
      session.destroy();
      await once(session, "close");
    },
  });
}

/** Sends one request. @throws when its stream is reset. */
export async function requested(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: Buffer,
): Promise<Http2Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  let trailers: IncomingHttpHeaders = {};
  stream.on("trailers", (received: IncomingHttpHeaders) => (trailers = received));
  if (body !== undefined) stream.end(body);
  const [answered] = (await once(stream, "response")) as [Http2Answer["headers"]];
  return { headers: answered, body: await buffer(stream), trailers };
}
