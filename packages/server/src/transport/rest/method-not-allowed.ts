import { AppError } from "../../kernel/errors.js";
import type { RestApp } from "./rest-app.js";

/** Which methods each path has a route for. */
export type MethodsByPath = ReadonlyMap<string, ReadonlySet<string>>;

/** Notes the routes that are added from now on. */
export function collectMethods(app: RestApp): MethodsByPath {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methodsByPath.get(url) ?? new Set();
    methodsByPath.set(url, known);
    for (const name of [method].flat()) known.add(name);
  });
  return methodsByPath;
}

/**
 * Answers every other method of a known path with `METHOD_NOT_ALLOWED` and the ones there are
 * (RFC 9110 §15.5.6). To be called when all routes are there.
 */
export function refuseOtherMethods(app: RestApp, methodsByPath: MethodsByPath): void {
  const paths = [...methodsByPath].map(([url, known]) => ({ url, known: [...known].sort() }));
  for (const { url, known } of paths) {
    const allow = known.join(", ");
    app.route({
      url,
      method: app.supportedMethods.filter((method) => !known.includes(method)),
      schema: { hide: true },
      // Before the body is read: it is nobody's.
      onRequest: (request, reply, done) => {
        void reply.header("allow", allow);
        done(new AppError("METHOD_NOT_ALLOWED", `${request.method} is not one of ${allow}`));
      },
      handler: () => undefined,
    });
  }
}
