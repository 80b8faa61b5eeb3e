/** The content codings in which large documents are sent, best first. */
const CODINGS = ["br", "gzip"] as const;

export type ContentCoding = (typeof CODINGS)[number];

/** The codings that a client accepts (RFC 9110 §12.5.3), except those with the weight 0; best first. */
export function acceptedCodings(acceptEncoding: string | undefined): readonly ContentCoding[] {
  const accepted = (acceptEncoding ?? "")
    .split(",")
    .map((each) => each.trim().toLowerCase())
    .filter((each) => !/;\s*q=0(\.0*)?$/.test(each))
    .map((each) => each.replace(/\s*;.*$/, ""));
  return CODINGS.filter((coding) => accepted.includes(coding));
}
