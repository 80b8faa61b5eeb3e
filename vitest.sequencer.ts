import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, in the order they are started: at the end of a run, a long file would keep one core busy and
 * leave the others idle. Most of them wait for servers of their own, beside which other files run.
 */
const LONGEST: readonly string[] = [
  "conformance/processes",
  "faults/kill",
  "conformance/over-rest",
  "hostile/hostile",
  "conformance/over-grpc",
  "faults/cluster",
  "snippets/snippets",
  "faults/data-source",
];

/** Where projects stand in a run. Files that share processes come last, because most of them take less than a second. */
const PROJECTS: readonly string[] = ["whole", "joined", "rooms"];

/** Starts the longest files first, then those of one project after those of another. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/dist/${name}.test.js`));
  return place >= 0 ? place : LONGEST.length + PROJECTS.indexOf(project.name);
}
