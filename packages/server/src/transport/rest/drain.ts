import type { RestApp } from "./rest-app.js";

/**
 * Has `close()` wait for the requests under way. Fastify leaves that to its server, but one that
 * was handed its connections does not know of any. Whoever closes decides how long to wait.
 */
export function drainBeforeClosing(app: RestApp): void {
  let underWay = 0;
  let idle: () => void = () => undefined;
  app.addHook("onRequest", (_request, reply, done) => {
    underWay += 1;
    reply.raw.once("close", () => {
      underWay -= 1;
      if (underWay === 0) idle();
    });
    done();
  });
  app.addHook("onClose", async () => {
    if (underWay > 0) await new Promise<void>((resolve) => (idle = resolve));
  });
}
