import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** The client certificate of a connection, if a trusted authority has signed it. */
export function clientCertificateOf(socket: Socket): X509Certificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  return socket.getPeerX509Certificate();
}
