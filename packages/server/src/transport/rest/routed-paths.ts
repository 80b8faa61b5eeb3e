import { AppError } from "@steward/kernel/errors.js";
import { restErrorOf } from "../errors.js";
import type { AnswerUnrouted } from "./connection-errors.js";
import type { RestApp } from "./rest-app.js";

/** The paths there are and the methods of each, to tell a wrong method from an unknown path. */
export class RoutedPaths {
  /** By the route's pattern, its parameters as `:name`. */
  readonly #methods = new Map<string, Set<string>>();

  /** Notes the routes that are added from now on, and refuses every request that none of them takes. */
  watch(app: RestApp): void {
    app.addHook("onRoute", ({ url, method }) => {
      const known = this.#methods.get(url) ?? new Set();
      this.#methods.set(url, known);
      for (const name of [method].flat()) known.add(name);
    });
    // A hook, not a handler: the body is nobody's and is not read.
    app.addHook("onRequest", (request, reply, done) => {
      if (!request.is404) {
        done();
        return;
      }
      const { error, headers } = this.#refusal(request.method, request.url);
      void reply.headers(headers);
      done(error);
    });
  }

  /** Answers what cannot be routed at all: a method that no parser knows, or CONNECT. */
  readonly answer: AnswerUnrouted = (method, url) => {
    const { error, headers } = this.#refusal(method, url);
    return { ...restErrorOf(error), headers };
  };

  /** 405 with the methods of the path (RFC 9110 §15.5.6); 404 where it has none. */
  #refusal(
    method: string,
    url: string,
  ): { readonly error: AppError; readonly headers: Readonly<Record<string, string>> } {
    const path = pathOf(url);
    const methods = [...this.#methods].flatMap(([pattern, known]) =>
      matches(path, pattern) ? [...known] : [],
    );
    if (methods.length === 0) {
      return { error: new AppError("NOT_FOUND", `There is no ${method} ${path}`), headers: {} };
    }
    const allow = [...new Set(methods)].sort().join(", ");
    const error = new AppError("METHOD_NOT_ALLOWED", `${method} is not one of ${allow}`);
    return { error, headers: { allow } };
  }
}

/** The path alone: a query may hold what nobody should read in a log. */
export function pathOf(url: string): string {
  return url.replace(/\?.*$/s, "");
}

function matches(path: string, pattern: string): boolean {
  const parts = path.split("/");
  const names = pattern.split("/");
  return (
    parts.length === names.length &&
    names.every((name, index) => name === parts[index] || name.startsWith(":"))
  );
}
