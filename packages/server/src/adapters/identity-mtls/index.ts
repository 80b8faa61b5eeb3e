/** Authentication by TLS client certificates. */
export { KnownClients } from "./known-clients.js";
