import {
  isSameAsked,
  type PlannedStatement,
  type StatementGrant,
  type TouchedData,
} from "../governance/index.js";
import { POLICY_DECISIONS_MAX } from "./limits.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { CompiledPolicies, PolicyPrincipal } from "./ports.js";
import type { Principals } from "./principals.js";
import type { AskedStatement } from "./statements.js";

/** A grant with all that it depends on. */
interface LatestGrant {
  readonly statement: PlannedStatement;
  readonly policies: CompiledPolicies;
  readonly principal: PolicyPrincipal;
  readonly hour: number;
  readonly approved: boolean;
  readonly grant: StatementGrant;
}

/**
 * Caches permitted statements by caller and policies, so that a statement of a known shape is not
 * decided table by table again. Refusals are not cached.
 */
export class Grants {
  readonly #remembered = new RecentMap<StatementGrant>(POLICY_DECISIONS_MAX);
  /** The latest grant by the touched data, or by a statement that its step is asked with again. */
  readonly #latest = new WeakMap<object, LatestGrant>();
  /**
   * The touched data are one object as long as the statement's shape and the schema stay the same.
   */
  readonly #places = new WeakMap<TouchedData, number>();
  #placesGiven = 0;
  readonly #principals: Principals;

  constructor(principals: Principals) {
    this.#principals = principals;
  }

  of(
    policies: CompiledPolicies,
    { principal, statement, circumstances }: AskedStatement,
    permit: () => StatementGrant,
  ): StatementGrant {
    const { hour, approved } = circumstances;
    const about = statement.touched ?? statement;
    const latest = this.#latest.get(about);
    if (
      latest?.policies === policies &&
      latest.principal === principal &&
      latest.hour === hour &&
      latest.approved === approved &&
      (latest.statement === statement || isSameAsked(latest.statement, statement))
    ) {
      return latest.grant;
    }
    const grant = this.#byShape(policies, { principal, statement, circumstances }, permit);
    this.#latest.set(about, { policies, principal, hour, approved, statement, grant });
    return grant;
  }

  #byShape(
    policies: CompiledPolicies,
    { principal, statement, circumstances }: AskedStatement,
    permit: () => StatementGrant,
  ): StatementGrant {
    const { dataSource, intent, kinds = [], touched } = statement;
    const place = touched === undefined ? 0 : this.#placeOf(touched);
    const number = this.#principals.numberOf(principal);
    const { hour, approved } = circumstances;
    const key = `${String(policies.id)} ${String(number)} ${String(place)} ${String(hour)} ${String(approved)} ${intent} ${kinds.join("+")} ${dataSource}`;
    return this.#remembered.getOrMake(key, permit);
  }

  #placeOf(touched: TouchedData): number {
    const known = this.#places.get(touched);
    if (known !== undefined) return known;
    this.#placesGiven += 1;
    this.#places.set(touched, this.#placesGiven);
    return this.#placesGiven;
  }
}
