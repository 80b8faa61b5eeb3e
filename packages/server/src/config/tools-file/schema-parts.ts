import { z } from "zod";
import { isUuid } from "@steward/kernel/ids.js";
import { INTENTS } from "../../governance/index.js";
import { expectedInstead } from "../../kernel/unknown-field.js";

/** An object of the tools file with these keys and no others. */
export function entry<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => `unknown key ${key}; ${expectedInstead(key, known)}`).join("; ")
        : `must hold ${known.slice(0, -1).join(", ")} or ${known.at(-1) ?? ""}`,
  });
}

export function text(what: string): z.ZodString {
  return z.string({ error: `must be ${what}` });
}

/** Texts by name, such as headers. */
export function textsBy(names: string): z.ZodRecord<z.ZodString, z.ZodString> {
  return z.record(z.string(), text("a text"), { error: `must map ${names} to texts` });
}

export function listOf<Item extends z.ZodType>(item: Item, what: string): z.ZodArray<Item> {
  return z.array(item, { error: `must be a list of ${what}` });
}

export function wordOf<const Word extends string>(
  words: readonly Word[],
): z.ZodEnum<{ [Each in Word]: Each }> {
  return z.enum(words, { error: `must be one of ${words.join(", ")}` });
}

/** A whole number from 1 to the maximum. */
export function limit(what: string, max: number): z.ZodInt {
  const error = `must be a whole number of ${what} from 1 to ${String(max)}`;
  return z.int({ error }).min(1, error).max(max, error);
}

export const flag: z.ZodBoolean = z.boolean({ error: "must be true or false" });

export const intent = wordOf(INTENTS);

/** The name of an entry that the operator chooses. */
export const entryName: z.ZodString = text("a name").regex(
  /^[\w-]{1,64}$/,
  "must be a name of letters, digits, _ and -, 64 at most",
);

export const organizationId: z.ZodString = text("the id of an organization, a UUID").refine(
  isUuid,
  {
    error: "must be the id of an organization, a UUID",
  },
);

/** A mistake in the tools file and its position. */
export interface ToolsMistake {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}
