import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** The certificate that the client of a connection has shown and that a trusted authority signed. */
export function clientCertificateOf(socket: Socket): X509Certificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  return socket.getPeerX509Certificate();
}
