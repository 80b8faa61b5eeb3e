import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

/** A listener for the `stream` event of Node's HTTP/2 server. It owns the stream from then on. */
export type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void;
