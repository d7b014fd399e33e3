/** THIRD-PARTY-NOTICES.md, made with each build: every production package with its license text. */
import { existsSync } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './node24.mjs'

interface LockEntry {
  version?: string
  license?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
}

interface Package {
  name: string
  version: string
  license: string
  /** Null for a package of one system only: the file must not depend on the machine that wrote it. */
  text: string | null
}

/** Writes the file from `package-lock.json` and node_modules into a folder. */
export async function writeNotices(folder: string): Promise<void> {
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.md'), render(await productionPackages()))
}

async function productionPackages(): Promise<Package[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>
  }
  const wanted = Object.entries(lock.packages).filter(([path, entry]) => path !== '' && !entry.dev)
  const packages = await Promise.all(wanted.map(([path, entry]) => describe(path, entry)))
  const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
  return [...unique.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

async function describe(path: string, entry: LockEntry): Promise<Package> {
  const folder = join(root, path)
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const text = entry.os ? null : await licenseText(folder)
  return { name, version: entry.version ?? '', license: entry.license ?? (await licenseOf(folder, text)), text }
}

/** The package's own license file, the first by name. */
async function licenseText(folder: string): Promise<string | null> {
  if (!existsSync(folder)) return null
  const names = (await readdir(folder))
    .filter((name) => /^(?:licen[cs]e|copying|ofl)(?:[.-]|$)/i.test(name))
    .sort(compare)
  const [first] = names
  return first === undefined ? null : (await readFile(join(folder, first), 'utf8')).replaceAll('\r\n', '\n').trim()
}

/** Old packages name the license in an array or not at all. */
async function licenseOf(folder: string, text: string | null): Promise<string> {
  const description = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    licenses?: { type?: string }[]
  }
  const named = description.licenses?.map(({ type }) => type).join(', ')
  if (named) return named
  if (text !== null && /permission is hereby granted, free of charge/i.test(text)) return 'MIT'
  if (text !== null && /^\s*GNU GENERAL PUBLIC LICENSE\s+Version 2/.test(text)) return 'GPL-2.0-or-later'
  return 'see its repository'
}

function render(packages: Package[]): string {
  const byText = Map.groupBy(
    packages.filter(({ text }) => text !== null),
    ({ text }) => text,
  )
  const texts = [...byText].map(([text, holders]) => {
    const names = holders.map(({ name, version }) => `${name} ${version}`).join(', ')
    return `### ${names}\n\n~~~text\n${text ?? ''}\n~~~\n`
  })
  return `# Third-party notices

Easydash itself is under GPL-3.0-or-later (see LICENSE). When it runs it uses the packages below, each under its own
license. Packages for one operating system (Node.js, PostgreSQL and others) carry their texts inside the package.

The local engine downloads what is no part of this repository: WordPress (GPL-2.0-or-later) and the plugin SQLite Database
Integration (GPL-2.0-or-later), both by the WordPress contributors.

| Package | Version | License |
| --- | --- | --- |
${packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`).join('\n')}

## License texts

${texts.join('\n')}`
}

/** The same order in every locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
