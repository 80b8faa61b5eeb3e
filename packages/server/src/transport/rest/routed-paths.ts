import { AppError } from "@steward/kernel/errors.js";
import { restErrorOf } from "../errors.js";
import type { AnswerUnrouted } from "./connection-errors.js";
import type { RestApp } from "./rest-app.js";

/** The known paths with their methods, to distinguish a wrong method from an unknown path. */
export class RoutedPaths {
  /** By the route's pattern, with parameters as `:name`. */
  readonly #methods = new Map<string, Set<string>>();

  /** Records the routes that are added from now on, and refuses every request without a route. */
  watch(app: RestApp): void {
    app.addHook("onRoute", ({ url, method }) => {
      const known = this.#methods.get(url) ?? new Set();
      this.#methods.set(url, known);
      for (const name of [method].flat()) known.add(name);
    });
    // A hook rather than a handler, so that the body is not read.
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

  /** Answers requests that cannot be routed: an unknown method, or CONNECT. */
  readonly answer: AnswerUnrouted = (method, url) => {
    const { error, headers } = this.#refusal(method, url);
    return { ...restErrorOf(error), headers };
  };

  /** 405 with the methods of the path (RFC 9110 §15.5.6); 404 for an unknown path. */
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
    const error = new AppError(
      "METHOD_NOT_ALLOWED",
      `${method} is not allowed here; the methods are: ${allow}`,
    );
    return { error, headers: { allow } };
  }
}

/** The path alone, because a query may contain secrets that must not reach a log. */
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
