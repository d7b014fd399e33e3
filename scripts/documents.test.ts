import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Rows of the tables of rules in docs/security.md: rule, code locations, tests. */
const rows = readFileSync(join(root, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| .* \| .* \| .* \|$/.test(line) && !/^\| (?:Rule|Asset) /.test(line))
  .map((line) => line.slice(2, -2).split(' | '))
const rules = rows.slice(rows.findIndex(([rule]) => rule?.startsWith('One gate decides')))
const pathsOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string)

const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: root }),
]

/** Folders with what we write. Others hold packages, builds and data, or belong to tools. */
const folders = ['docs', 'scripts', 'server', 'shared', 'tests', 'web']

/** Our files by their path from the root. From the folders and not from git, which not every installation has. */
const files = [
  ...readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile()),
  ...folders.flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true })),
]
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

/** Names that no file of ours has. */
const notOurs = [
  // Made while Easydash or its tests run.
  /^(?:data|dist|test-results)\//,
  /^site\.json$/,
  // In archives of sites.
  /^(?:manifest|increment)\.json$/,
  // Addresses.
  /^\//,
  // Translations, which whoever translates names.
  /^de\.json$/,
  // Placeholders and bare extensions.
  /…/,
  /^(?:\.\/)?x\./,
  /^\.\w+$/,
  /\bNOUN\b/,
]

/** What a document names in backticks or links to, with its line: names of source files, paths into a folder, targets of links. */
function namesOf(document: string): { line: number; name: string; link: boolean }[] {
  return readFileSync(join(root, document), 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const line = index + 1
      const links = [...text.matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g)]
        .map((match) => match[1] as string)
        .filter((target) => !/^[a-z]+:/.test(target))
      const names = [...text.matchAll(/`([^`]+)`/g)]
        .flatMap((match) => (match[1] as string).split(/\s+/))
        .map((word) => word.replace(/^#/, '').replace(/\/\*?$/, ''))
        .filter((word) => /\.(?:tsx?|mjs|md|css|json)$/.test(word) || folders.includes(word.split('/')[0] as string))
        .filter((word) => !notOurs.some((one) => one.test(word)))
      return [
        ...links.map((name) => ({ line, name, link: true })),
        ...names.map((name) => ({ line, name, link: false })),
      ]
    })
}

/** A name may leave out the folders in front of it (`e2e/lists.e2e.ts`), hold `*`, or be a folder from the root. */
function exists(name: string): boolean {
  if (name.includes('*')) return files.some((file) => matchesGlob(file, `**/${name}`))
  return existsSync(join(root, name)) || files.some((file) => file.endsWith(`/${name}`))
}

test('every file that a document names exists', () => {
  expect(documents.length).toBeGreaterThan(40)
  const all = documents.flatMap((document) => namesOf(document).map((one) => ({ document, ...one })))
  expect(all.length).toBeGreaterThan(500)
  const missing = all
    .filter(({ document, name, link }) => !(link ? existsSync(join(root, dirname(document), name)) : exists(name)))
    .map(({ document, line, name }) => `${document}:${line}: ${name}`)
  expect(missing).toEqual([])
})

test('each rule on the security page has existing code and a test, or names the release it comes with', () => {
  expect(rules.length).toBeGreaterThan(50)
  for (const row of rules) {
    expect(row).toHaveLength(3)
    const [rule = '', place = '', proof = ''] = row
    if (place.startsWith('comes with ')) {
      expect([rule, proof]).toEqual([rule, place])
      continue
    }
    for (const cell of [place, proof]) {
      const paths = pathsOf(cell)
      expect([rule, paths.length > 0]).toEqual([rule, true])
      for (const path of paths) expect([rule, path, existsSync(join(root, path))]).toEqual([rule, path, true])
    }
    const isTest = (path: string) => /\.test\.tsx?$|\.e2e\.ts$/.test(path)
    expect([rule, pathsOf(proof).some(isTest)]).toEqual([rule, true])
    expect([rule, pathsOf(place).some(isTest)]).toEqual([rule, false])
  }
})

test('each rule is listed once on the security page', () => {
  const words = rules.map(([rule]) => rule)
  expect(new Set(words).size).toBe(words.length)
})
