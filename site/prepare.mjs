// Copies the pages of the repository into target/pages, as the site generator wants them, and checks every link and
// anchor on the way. The Markdown in docs/ stays the source; nothing but this directory knows the generator.
import fs from "node:fs";
import path from "node:path";
import GithubSlugger from "github-slugger";

const site = import.meta.dirname;
const root = path.dirname(site);
const out = path.join(site, "target", "pages");
const navigation = JSON.parse(fs.readFileSync(path.join(site, "navigation.json"), "utf8"));
/** Where a link to a folder or a source file leads; without it, such a link is only its text. */
const repository = process.env.FIRN_REPOSITORY;
const problems = [];

function markdownBelow(folder) {
  return fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const name = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? markdownBelow(name) : name.endsWith(".md") ? [name] : [];
    })
    .sort();
}

const pageOf = (entry) => (typeof entry === "string" ? entry : entry.page);
const named = Object.values(navigation).flatMap((sections) =>
  sections.flatMap((section) => section.pages.map(pageOf)),
);
const sources = [...new Set([...markdownBelow("docs"), ...named])];
for (const page of named.filter((page) => !fs.existsSync(path.join(root, page)))) {
  problems.push(`site/navigation.json: ${page} (expected: a page)`);
}

/** The path of a page on the site, without its ending. */
function address(source) {
  return source.replace(/^docs\//, "").replace(/\.md$/, "").replace(/(^|\/)README$/, "$1index");
}

function headings(text) {
  const slugger = new GithubSlugger();
  return lines(text)
    .filter((line) => !line.code)
    .map((line) => /^#{1,6} +(.*?)#*$/.exec(line.text))
    .filter(Boolean)
    .map((found) => ({ text: found[1].trim(), slug: slugger.slug(plain(found[1].trim())) }));
}

function plain(heading) {
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
}

/** The lines of a page, with whether each is inside a fence. */
function lines(text) {
  let fence = null;
  return text.split("\n").map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    const code = fence !== null || mark !== undefined;
    if (mark && fence === null) fence = mark;
    else if (mark && mark.startsWith(fence)) fence = null;
    return { text: line, code };
  });
}

const pages = new Map(
  sources
    .filter((source) => fs.existsSync(path.join(root, source)))
    .map((source) => {
      const text = fs.readFileSync(path.join(root, source), "utf8");
      return [source, { text, headings: headings(text) }];
    }),
);

function title(source) {
  return plain(pages.get(source)?.headings[0]?.text ?? source);
}

/** Puts what a link means on the site in place of what it means in the repository. */
function linked(source, whole, image, text, target) {
  if (/^[a-z]+:/.test(target)) return whole;
  const [file, anchor] = target.split("#", 2);
  const wanted = file ? path.posix.normalize(path.posix.join(path.posix.dirname(source), file)) : source;
  const place = wanted.replace(/\/$/, "");
  const page = pages.get(place);
  if (page) {
    if (anchor && !page.headings.some((heading) => heading.slug === anchor)) {
      problems.push(`${source}: ${target} (expected: a heading of ${place})`);
    }
    return `${image}[${text}](/${address(place)}${anchor ? "#" + anchor : ""})`;
  }
  const there = path.join(root, place);
  if (!fs.existsSync(there)) {
    problems.push(`${source}: ${target} (expected: a file of the repository)`);
    return text;
  }
  if (fs.statSync(there).isFile() && place.startsWith("docs/")) {
    const copy = image ? path.join(out, place.replace(/^docs\//, "")) : path.join(out, "public", "files", place);
    fs.mkdirSync(path.dirname(copy), { recursive: true });
    fs.copyFileSync(there, copy);
    return image ? `![${text}](/${place.replace(/^docs\//, "")})` : `[${text}](/files/${place})`;
  }
  return repository ? `[${text}](${repository}/${place})` : text;
}

function rewritten(source, text) {
  return lines(text)
    .map((line) =>
      line.code || /^ {4}/.test(line.text)
        ? line.text
        : line.text.replace(/(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (...found) =>
            linked(source, ...found),
          ),
    )
    .join("\n");
}

fs.rmSync(out, { recursive: true, force: true });
for (const [source, page] of pages) {
  const file = path.join(out, address(source) + ".md");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // A link may span two lines of a paragraph: it is joined, which changes nothing on the page.
  const joined = page.text.replace(/\[([^\[\]\n]+)\n\s*([^\[\]\n]+)\]\(/g, "[$1 $2](");
  fs.writeFileSync(file, rewritten(source, joined));
}

// The navigation: what it names, and then, in the section of its folder, each page that it does not name.
const unnamed = [...pages.keys()].filter(
  (page) => !named.includes(page) && !page.startsWith("docs/internals/decisions/"),
);
const sidebars = {};
for (const [language, sections] of Object.entries(navigation)) {
  sidebars[language] = sections.map((section) => ({
    text: section.text,
    collapsed: section.text === "Internals" ? true : undefined,
    items: [
      ...section.pages,
      ...unnamed.filter((page) => (section.folders ?? []).includes(path.posix.dirname(page))),
    ].map((entry) => ({
      text: entry.text ?? title(pageOf(entry)),
      link: "/" + address(pageOf(entry)) + (entry.anchor ? "#" + entry.anchor : ""),
    })),
  }));
}
for (const page of unnamed) {
  const homes = Object.values(navigation).flat().some((one) => one.folders?.includes(path.posix.dirname(page)));
  if (homes) console.warn(`${page}: shown at the end of its section, because site/navigation.json does not name it`);
  else problems.push(`${page}: in no section (expected: a line in site/navigation.json)`);
}
fs.writeFileSync(path.join(site, "target", "sidebar.json"), JSON.stringify(sidebars, null, 2));

for (const [name, home] of [["index.md", "home.md"], ["zh/index.md", "home.zh.md"]]) {
  if (!fs.existsSync(path.join(site, home))) continue;
  fs.mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
  const text = fs.readFileSync(path.join(site, home), "utf8");
  const addresses = new Set(sources.map((source) => "/" + address(source)));
  for (const [, link] of text.matchAll(/^\s+link: (\S+)$/gm)) {
    if (!addresses.has(link)) problems.push(`site/${home}: ${link} (expected: a page)`);
  }
  fs.writeFileSync(path.join(out, name), rewritten("site/" + home, text));
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${pages.size} pages, every link and anchor leads somewhere`);
