import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { PackageType } from '../../wordpress-packages.ts'
import { writeJson } from '../sites/site-store.ts'
import type { PackageSums } from '../trees/package-sums.ts'

/** Most packages of a site whose checksums are kept; the oldest go first. */
const most = 300

const kept = z.object({
  source: z.enum(['installed', 'uploaded']),
  folder: z.string(),
  sums: z.array(z.tuple([z.string(), z.string()])),
})

/** Checksums of a package as it was before it was installed. */
type KeptSums = z.infer<typeof kept>

/** What is kept of a package: its checksums, and the name of its archive unless that is not kept. */
export interface KeptPackage extends KeptSums {
  readonly archive: string | null
}

/*
 * They are in a folder of ours beside the site's files, because the site could change those it keeps. The name of a file is the hash of its
 * key, and that of its archive: which archives are used is known without reading any.
 */
const homeIn = (folder: string): string => join(folder, 'package-sums')
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)
const fileName = (key: string, archive: string | null): string =>
  archive === null ? `${key}.json` : `${key}-${archive}.json`
const archiveOf = (name: string): string | null => /[0-9a-f]{32}-([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? null
const stagedPrefix = 'staged-'
const stagedKey = (id: string): string => `${stagedPrefix}${hashOf(id)}`
/** What was staged and not installed is forgotten after this time, as on the site. */
const stagedForMs = 86_400_000

/** Keeps what is known of the package that is staged under an id. `folder`: of the site, which only we can enter. */
export async function keepStagedSums(
  folder: string,
  id: string,
  { archive, ...sums }: PackageSums & Pick<KeptPackage, 'source' | 'archive'>,
): Promise<void> {
  await mkdir(homeIn(folder), { recursive: true, mode: 0o700 })
  await removeKey(folder, stagedKey(id))
  await writeJson(join(homeIn(folder), fileName(stagedKey(id), archive)), sums)
  await removeOldest(homeIn(folder))
}

interface About {
  readonly type: PackageType
  readonly version: string
  readonly folder: string
}

/** Once it is installed, that is what is known of that version; without any, nothing is known of it any more. */
export async function adoptStagedSums(folder: string, id: string, about: About): Promise<void> {
  const staged = await findKey(folder, stagedKey(id))
  const sums = staged === null ? null : await read(join(homeIn(folder), staged))
  await removeKey(folder, keyOf(about))
  if (staged !== null && sums?.folder === about.folder)
    await rename(join(homeIn(folder), staged), join(homeIn(folder), fileName(keyOf(about), archiveOf(staged))))
}

/** What is kept of an installed version; null if nothing is. */
export async function readKeptPackage(folder: string, about: About): Promise<KeptPackage | null> {
  const name = await findKey(folder, keyOf(about))
  const sums = name === null ? null : await read(join(homeIn(folder), name))
  return name === null || sums === null ? null : { ...sums, archive: archiveOf(name) }
}

/** Forgets what is staged under an id. */
export async function forgetStaged(folder: string, id: string): Promise<void> {
  await removeKey(folder, stagedKey(id))
}

/** Names of the archives that a site uses. Forgets what was staged long before `now` (milliseconds since 1970). */
export async function usedArchives(folder: string, now: number): Promise<string[]> {
  const used: string[] = []
  for (const name of await namesIn(folder)) {
    const archive = archiveOf(name)
    const path = join(homeIn(folder), name)
    if (name.startsWith(stagedPrefix) && now - (await stat(path)).mtimeMs > stagedForMs) await rm(path, { force: true })
    else if (archive !== null) used.push(archive)
  }
  return used
}

const keyOf = ({ type, folder, version }: About) => hashOf(`${type} ${folder} ${version}`)

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(homeIn(folder))
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw error
  }
}

async function findKey(folder: string, key: string): Promise<string | null> {
  return (await namesIn(folder)).find((name) => name.startsWith(key)) ?? null
}

async function removeKey(folder: string, key: string): Promise<void> {
  for (const name of await namesIn(folder))
    if (name.startsWith(key)) await rm(join(homeIn(folder), name), { force: true })
}

async function read(file: string): Promise<KeptSums | null> {
  try {
    return kept.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= most) return
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })))
  for (const { name } of aged.sort((a, b) => a.at - b.at).slice(0, names.length - most))
    await rm(join(folder, name), { force: true })
}
