import type { Caller } from "@steward/kernel/caller.js";
import type { Authorize } from "./services.js";

/**
 * Checks the right to the resource that a decoded request names. The right to the action on the
 * organization as a whole was checked before, so here only policies that forbid it for this
 * resource count.
 */
export class ResourceRights {
  readonly #authorize: Authorize;

  constructor(authorize: Authorize) {
    this.#authorize = authorize;
  }

  /**
   * @returns the caller, whose right to the branch is asked for with what `askAgain` asks.
   * @throws AppError `POLICY_DENIED` when a branch may not be written.
   */
  async writeBranch(caller: Caller, branch: string): Promise<Caller> {
    await this.#onBranch(caller, "state:write", branch);
    return {
      ...caller,
      askAgain: async (now, next) => {
        await caller.askAgain?.(now, next);
        await this.#onBranch(now, "state:write", branch);
      },
    };
  }

  /**
   * @param name `heads/<branch>`; a tag's resource has the tag's full name. @throws as {@link
   * writeBranch}.
   */
  moveRef(caller: Caller, name: string): Promise<void> {
    return this.#onBranch(caller, "state:refs", name.replace(/^heads\//, ""));
  }

  /**
   * @throws AppError `POLICY_DENIED` when a session may not be written to, or its entries not
   * deleted.
   */
  async changeSession(
    caller: Caller,
    action: "memory:write" | "memory:purge",
    session: string,
  ): Promise<void> {
    const { orgId } = caller;
    await this.#authorize(caller, action, { kind: "memorySession", orgId, session });
  }

  async #onBranch(
    caller: Caller,
    action: "state:write" | "state:refs",
    branch: string,
  ): Promise<void> {
    await this.#authorize(caller, action, { kind: "branch", orgId: caller.orgId, branch });
  }
}
