import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The slowest files, in starting order. A long file that starts last would keep one core busy and
 * leave the others idle. Most of them wait for their own servers, while other files run.
 */
const LONGEST: readonly string[] = [
  "testing/console/console",
  "conformance/processes",
  "faults/kill",
  "conformance/over-rest",
  "release/packages",
  "hostile/hostile",
  "conformance/over-grpc",
  "faults/cluster",
  "snippets/snippets",
  "faults/data-source",
  "app/earlier-content",
  "app/erased-canaries",
];

/**
 * The order of projects in a run. Files that share processes come last, because most of them take
 * less than a second.
 */
const PROJECTS: readonly string[] = ["whole", "joined", "rooms"];

/** Starts the slowest files first, then project by project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/dist/${name}.test.js`));
  return place >= 0 ? place : LONGEST.length + PROJECTS.indexOf(project.name);
}
