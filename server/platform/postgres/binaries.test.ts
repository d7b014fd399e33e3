import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLibraryLinks, copyBinaries, locateBinaries, MAJOR, type Binaries } from './binaries.ts'
import { explainOutput } from './cluster.ts'
import type { ClusterLocation } from './location.ts'
import { chooseRunAs, findInaccessibleFolder } from './run-as.ts'

let root: string
let installed: Binaries
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pgbin-'))
  installed = await locateBinaries()
})
afterEach(() => rm(root, { recursive: true }))

/** A copy of the package as installed by npm without install scripts: no links. */
async function withoutLinks(): Promise<string> {
  const native = join(root, 'package', 'native')
  await cp(installed.native, native, {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (path) => !(await lstat(path)).isSymbolicLink() && !path.endsWith('.a'),
  })
  return native
}

const linksIn = async (native: string) => {
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[]
  return list.filter(({ target }) => existsSync(join(native, '..', target))).length
}
const versionOf = (native: string, options = {}) =>
  spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8', cwd: '/', ...options })

test('links that npm did not make are made, and only then the programs run', async () => {
  const native = await withoutLinks()
  expect(await linksIn(native)).toBe(0)
  expect(await createLibraryLinks(native)).toBe(true)
  expect(await linksIn(native)).toBe(await linksIn(installed.native))
  expect(versionOf(native).stdout).toContain(`PostgreSQL) ${MAJOR}.`)
  expect(await createLibraryLinks(native)).toBe(true)
})

test('a copy is whole, runs for another user, is used again, and older ones go', async () => {
  const native = await withoutLinks()
  chmodSync(root, 0o755)
  const folder = join(root, 'instance')
  await mkdir(join(folder, 'programs-17.0.0'), { recursive: true })
  const copy = await copyBinaries({ native, version: installed.version }, folder)
  expect(await readdir(folder)).toEqual([`programs-${installed.version}`])
  expect(await linksIn(copy.native)).toBe(await linksIn(installed.native))
  const asOther = process.getuid?.() === 0 ? { uid: 1, gid: 1 } : {}
  expect(versionOf(copy.native, asOther).stdout).toContain(`PostgreSQL) ${MAJOR}.`)
  const made = (await stat(copy.native)).ctimeMs
  expect((await stat((await copyBinaries({ native, version: installed.version }, folder)).native)).ctimeMs).toBe(made)
})

test('the folder that closes the way is named', async () => {
  const inner = join(root, 'a', 'b')
  await mkdir(inner, { recursive: true })
  chmodSync(root, 0o755)
  chmodSync(join(root, 'a'), 0o750)
  const stranger = { uid: 54_321, gid: 54_321, switches: true }
  expect(findInaccessibleFolder(inner, stranger)).toBe(join(root, 'a'))
  chmodSync(join(root, 'a'), 0o751)
  expect(findInaccessibleFolder(inner, stranger)).toBe(null)
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, switches: false }
  chmodSync(join(root, 'a'), 0o700)
  expect(findInaccessibleFolder(inner, own)).toBe(null)
})

test('PostgreSQL never runs as root', async () => {
  expect((await chooseRunAs(null, root, root)).uid).not.toBe(0)
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  expect((await chooseRunAs(own, root, root)).uid).not.toBe(0)
})

test.each([
  ['FATAL:  could not write lock file "postmaster.pid": No space left on device', 'full'],
  ['initdb: error: could not write to file "/x/PG_VERSION": No space left on device', 'full'],
  ['FATAL:  could not create shared memory segment: Cannot allocate memory', 'shared memory'],
  ['initdb: error: could not look up effective user ID 54321: user does not exist', 'has no entry'],
  [
    'postgres: error while loading shared libraries: libssl.so.1.1: cannot open shared object file',
    'does not run on this system',
  ],
])('%s is put into words', (output, words) => {
  const location = {
    home: '/srv/data/postgres',
    account: { uid: 54_321, gid: 54_321, switches: true },
  } as ClusterLocation
  expect(explainOutput(output, location)).toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining(words),
    nextAction: expect.stringMatching(/DATABASE_URL|EASYDASH_DATA_DIR/),
  })
  expect(explainOutput('LOG:  ready', location)).toBe(null)
})
