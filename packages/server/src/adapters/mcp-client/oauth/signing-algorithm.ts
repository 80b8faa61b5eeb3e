import { createPrivateKey } from "node:crypto";

/** The JWS algorithm that signs with a private key (RFC 7518). @param pem a valid key. */
export function algorithmOf(pem: string): string {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  if (asymmetricKeyType !== "ec") return "RS256";
  switch (asymmetricKeyDetails?.namedCurve) {
    case "secp384r1":
      return "ES384";
    case "secp521r1":
      return "ES512";
    default:
      return "ES256";
  }
}
