import type * as IssuerModule from "../../test/conformance/parties/token-issuer.js";

/** The token issuer of the conformance tests, loaded from their build. */
const issuer = new URL("../../../test/dist/conformance/parties/token-issuer.js", import.meta.url);

export const { TokenIssuer } = (await import(issuer.href)) as typeof IssuerModule;
