import type { X509Certificate } from "node:crypto";

/**
 * The kinds of names in a certificate: the subject, and subject alternative names (RFC 5280
 * §4.2.1.6).
 */
export const NAME_KINDS = ["subject", "uri", "dns", "email"] as const;

export type NameKind = (typeof NAME_KINDS)[number];

/** A name with its kind, as one unambiguous text: `uri:spiffe://example.com/invoice-agent`. */
export function nameKey(kind: NameKind, name: string): string {
  return `${kind}:${name}`;
}

/**
 * The names of a certificate in the format of {@link nameKey}. The subject's attributes are in the
 * certificate's order, as in `O=Example,CN=invoice-agent`.
 */
export function namesOf({ subject, subjectAltName = "" }: X509Certificate): readonly string[] {
  // OpenSSL escapes commas and line feeds inside a value.
  const names = subject === "" ? [] : [nameKey("subject", subject.split("\n").join(","))];
  for (const [, type = "", quoted, plain = ""] of subjectAltName.matchAll(ALTERNATIVE)) {
    const kind = KINDS.get(type);
    // Node writes a name with a comma or a quote as JSON.
    const name = quoted === undefined ? plain : (JSON.parse(quoted) as string);
    if (kind !== undefined) names.push(nameKey(kind, name));
  }
  return names;
}

const ALTERNATIVE = /([A-Za-z ]+):(?:("(?:[^"\\]|\\.)*")|([^,]*))(?:, |$)/g;

const KINDS: ReadonlyMap<string, NameKind> = new Map([
  ["URI", "uri"],
  ["DNS", "dns"],
  ["email", "email"],
]);
