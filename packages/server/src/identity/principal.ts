import type { Caller } from "../kernel/caller.js";

/** Who a credential says is asking. The session and the ORM model are the request's own. */
export type Principal = Omit<Caller, "sessionId" | "ormModel">;

/** A principal, and for how long the credential need not be verified again. */
export interface Verified {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Verifies a bearer credential.
 * @param peerAddress IP address that it came from.
 * @throws AppError `UNAUTHENTICATED` when it is wrong, with a message that does not repeat it;
 * `STORE_UNAVAILABLE` or `IDENTITY_UNAVAILABLE` when it cannot be judged at present.
 */
export type VerifyCredential = (credential: string, peerAddress: string) => Promise<Verified>;

/** The certificate that a TLS client has shown, and that one of the configured authorities signed. */
export interface ClientCertificate {
  /** The subject's attributes, the most general one first, as in `O=Example,CN=invoice-agent`. */
  readonly subject: string;
  /** Subject alternative names (RFC 5280 §4.2.1.6). */
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
}

/** @throws AppError `UNAUTHENTICATED` when the certificate belongs to nobody known. */
export type VerifyCertificate = (certificate: ClientCertificate) => Principal;
