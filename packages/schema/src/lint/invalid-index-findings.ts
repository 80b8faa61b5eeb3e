import { isInvalidIndex } from "../postgres/objects/invalid-indexes.js";
import type { Schema } from "../model/schema.js";
import type { Finding } from "./finding.js";

/**
 * A finding for each invalid index of the base schema: how the migration to the target treats it.
 */
export function invalidIndexFindings(base: Schema, target: Schema): readonly Finding[] {
  return base.all("Index").flatMap((index): readonly Finding[] => {
    if (!isInvalidIndex(base, index)) return [];
    const now = target.find(index.id);
    if (now !== undefined && isInvalidIndex(target, now)) return [];
    return [
      { code: "invalid-index", object: base.pathOf(index), message: `${STATE}; ${wayOut()}` },
    ];

    function wayOut(): string {
      if (now === undefined)
        return "it is dropped, because the proposed schema has no index of its name";
      if (index.values.attachedTo?.ref !== undefined) {
        return "the partitioned index that it belongs to is dropped and built again, while writes wait";
      }
      const rows = now.values.isUnique === true ? ": duplicate rows stop the build" : "";
      return `it is dropped, and built again while writes continue${rows}`;
    }
  });
}

const STATE = "a statement that failed left it invalid, and no query uses it";
