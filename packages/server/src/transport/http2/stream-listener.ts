import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

/** What listens to the `stream` event of Node's HTTP/2 server: it owns the stream from then on. */
export type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void;
