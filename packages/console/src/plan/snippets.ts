/** How to do by other means what the console does: the same call with curl, the client and the command. */
export interface Snippets {
  readonly curl: string;
  readonly sdk: string;
  readonly cli: string;
}

/** Reads a plan. */
export function planSnippets(origin: string, planId: string): Snippets {
  return {
    curl: `curl ${quoted(`${origin}/api/plans/${planId}`)}`,
    sdk: `await client.plans.getPlan({ plan_id: ${JSON.stringify(planId)} });`,
    cli: `steward plan get ${quoted(planId)}`,
  };
}

/** Runs a step, or reads its stored answer once it has ended. */
export function stepSnippets(origin: string, planId: string, stepId: string): Snippets {
  const path = `/api/plans/${planId}/steps/${encodeURIComponent(stepId)}/execute`;
  return {
    curl: `curl -X POST ${quoted(`${origin}${path}`)}`,
    sdk: `await client.plans.execute(${JSON.stringify(planId)}, ${JSON.stringify(stepId)});`,
    cli: `steward plan execute ${quoted(planId)} ${quoted(stepId)}`,
  };
}

/** A word as a shell reads it, whatever it contains. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
