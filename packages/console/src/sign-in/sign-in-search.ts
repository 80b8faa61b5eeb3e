/** The parameters in the address of the sign-in page. */
export interface SignInSearch {
  /** The path of the console to show afterwards. */
  readonly return_to?: string;
  /** Why a sign-in at the OpenID provider failed. */
  readonly error?: "failed" | "unavailable";
}

/** Reads the address; a place that is not in this console is dropped, because anybody can make a link. */
export function signInSearchOf({
  return_to: returnTo,
  error,
}: Record<string, unknown>): SignInSearch {
  return {
    ...(typeof returnTo === "string" && isOwnPath(returnTo) ? { return_to: returnTo } : {}),
    ...(error === undefined ? {} : { error: error === "unavailable" ? error : "failed" }),
  };
}

function isOwnPath(text: string): boolean {
  const base = "http://own.invalid";
  if (!text.startsWith("/") || !URL.canParse(text, base)) return false;
  const { origin, pathname } = new URL(text, base);
  return origin === base && !pathname.startsWith("//");
}
