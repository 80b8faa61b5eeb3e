// The licences of npm packages whose code is in a bundle. They ask that their text goes along with every copy.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const INTRODUCTION = `The files beside this one contain code of the packages below, which have these licences.
Written by the build; never edited by hand.
`;
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * @param {Iterable<string>} modules files that a bundle is made of.
 * @returns {string} the names, versions and licence texts of the npm packages among them, by name.
 */
export function thirdPartyLicences(modules) {
  const folders = new Set();
  for (const module of modules) {
    // A bundler puts a zero byte before the names of modules of its own, and a query after some others.
    const folder = /^[^\0]*\/node_modules\/(@[^/]+\/)?[^/?]+/.exec(module)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const licences = [...folders].map(licenceOf);
  licences.sort((a, b) => (a.title < b.title ? -1 : 1));
  // The same version may be in several folders.
  const texts = new Map(licences.map(({ title, text }) => [title, `## ${title}\n\n${text}\n`]));
  return [INTRODUCTION, ...texts.values()].join("\n");
}

function licenceOf(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const title = `${manifest.name} ${manifest.version} (${manifest.license})`;
  const files = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8").trim());
  if (texts.length === 0) texts.push(statedIn(folder, manifest));
  return { title, text: texts.join("\n\n") };
}

/** What a package without a licence file says in its README, or else in its package.json. */
function statedIn(folder, { author, contributors, license }) {
  const readme = join(folder, "README.md");
  const section = existsSync(readme)
    ? /^#+ licen[cs]e\n+([^]*?)(?=^#|$(?![^]))/im.exec(readFileSync(readme, "utf8"))?.[1]?.trim()
    : undefined;
  const people = [author, ...(contributors ?? [])]
    .filter((person) => person !== undefined)
    .map((person) => (typeof person === "string" ? person : person.name));
  const authors = people.length === 0 ? "" : ` Its authors: ${people.join(", ")}.`;
  return section || `The package has no licence file. Its package.json says ${license}.${authors}`;
}
