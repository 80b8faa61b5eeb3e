import type { InputRequiredResult } from "@modelcontextprotocol/client";
import { shortened } from "./call-result.js";

/** A request for input, as the server sent it. */
export interface InputAsked {
  readonly method: string;
  readonly params?: unknown;
}

/**
 * A tool asked a person for input (elicitation). A step has no person to ask, so the request stays
 * unanswered; a server that waits for the answer during the call gets "declined".
 */
export class PersonAsked extends Error {
  override readonly name = "PersonAsked";

  constructor(asked: readonly InputAsked[]) {
    const questions = asked.map(questionOf).join("; ");
    super(
      `the tool asks a person: ${shortened(questions || "for more input")}. A step has nobody to ask, and no answer was ` +
        "given. Put the answer into the arguments of the step if the tool takes it there; otherwise a person has to " +
        "call the tool",
    );
  }
}

/** The requests of a result that asks for more. */
export function questionsIn({ inputRequests = {} }: InputRequiredResult): readonly InputAsked[] {
  return Object.values(inputRequests);
}

/** The text of an elicitation, with the names of the values that it wants. */
function questionOf({ method, params = {} }: InputAsked): string {
  // Members of other types are ignored below.
  const { message, requestedSchema } = params as {
    readonly message?: unknown;
    readonly requestedSchema?: { readonly properties?: object };
  };
  const text = typeof message === "string" && message !== "" ? `"${message}"` : method;
  const names = Object.keys(requestedSchema?.properties ?? {});
  return names.length === 0 ? text : `${text} (${names.join(", ")})`;
}
