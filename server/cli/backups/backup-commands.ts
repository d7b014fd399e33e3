import { mkdir, mkdtemp, open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { identityToRecipient } from 'age-encryption'
import { exists } from '#server/platform/files/exists.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { AppError } from '#shared/errors.ts'
import { pathOf, sourcesAt, unreachable, variablesIn, type BackupSource } from './backup-sources.ts'
import { placeOfChain, readBackup, UnreadableBackup, type MemberSink, type ReadBackup } from './read-backup.ts'
import { keepArchives, type KeptArchives } from './whole-archive.ts'

/** Usage of the commands. */
export const backupUsage = {
  list: 'backup list FOLDER|s3://BUCKET --key FILE [--credentials FILE]',
  verify: 'backup verify FOLDER|FILE|s3://BUCKET… --key FILE [--credentials FILE]',
  extract: 'backup extract FILE|s3://BUCKET/KEY NEW-FOLDER --key FILE [--credentials FILE]',
} as const

type Print = (line: string) => void

async function argumentsOf(command: keyof typeof backupUsage, args: string[], count: { least: number; most: number }) {
  const wrong = (message: string) => new StartupError(message, `Usage: npm run easydash -- ${backupUsage[command]}`)
  const { positionals, values } = (() => {
    try {
      return parseArgs({
        args,
        allowPositionals: true,
        options: { key: { type: 'string' }, credentials: { type: 'string' } },
      })
    } catch (error) {
      throw wrong(error instanceof Error ? error.message : String(error))
    }
  })()
  if (positionals.length < count.least || positionals.length > count.most)
    throw wrong(count.most === 2 ? 'A backup and a new folder must be named.' : 'A folder or bucket must be named.')
  return {
    places: positionals,
    identity: values.key === undefined ? null : await keyIn(pathOf(values.key)),
    variables: values.credentials === undefined ? process.env : await variablesIn(pathOf(values.credentials)),
  }
}

/** The key in a file as the organization's settings give it. Throws `StartupError` if there is none. */
async function keyIn(path: string): Promise<string> {
  const next = 'Name the recovery key that the owner of the organization downloaded.'
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartupError(`The key ${path} cannot be read (${systemErrorCode(error)}).`, next, error)
  })
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const [identity, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (identity === undefined || others.length > 0)
    throw new StartupError(`${path} is not a recovery key: it must have one line that is no comment.`, next)
  await identityToRecipient(identity).catch((error: unknown) => {
    throw new StartupError(`${path} is not a recovery key: AGE-SECRET-KEY-… is expected.`, next, error)
  })
  return identity
}

/** Reads each backup of the paths; resolves with whether there is one and all are as they should be. */
async function readAll(
  { places, identity, variables }: Awaited<ReturnType<typeof argumentsOf>>,
  show: (name: string, result: ReadBackup | UnreadableBackup) => boolean,
): Promise<boolean> {
  const sources = (await Promise.all(places.map((place) => sourcesAt(place, variables)))).flat()
  if (sources.length === 0)
    throw new StartupError(
      'There are no backups: no name ends in .tar.zst.age.',
      'Name the folder they were copied to, or s3://BUCKET/PREFIX.',
    )
  let isFine = true
  for (const chain of await byChain(sources, identity))
    await keepingArchives(async (kept) => {
      for (const source of chain) {
        const result = await readBackup(source, identity, kept).catch(unreadable)
        isFine = show(source.name, result) && isFine
      }
    })
  return isFine
}

/** Backups that need the same archives are read one after another: these are unpacked once, and not all of a store at once. */
async function byChain(sources: readonly BackupSource[], identity: string | null): Promise<BackupSource[][]> {
  const chains = new Map<string, BackupSource[]>()
  for (const source of sources) {
    const place = (await placeOfChain(source, identity)) ?? source.place
    chains.set(place, [...(chains.get(place) ?? []), source])
  }
  return [...chains.values()]
}

async function keepingArchives<T>(work: (kept: KeptArchives) => Promise<T>): Promise<T> {
  const kept = keepArchives()
  try {
    return await work(kept)
  } finally {
    await kept.remove()
  }
}

/** Why a backup can't be read; other errors end the command. */
function unreadable(error: unknown): UnreadableBackup {
  if (error instanceof UnreadableBackup) return error
  if (error instanceof AppError)
    return new UnreadableBackup(`It could not be fetched: ${error.message}`, { cause: error })
  if (systemErrorCode(error) === '') throw error
  return new UnreadableBackup(`The file cannot be read (${systemErrorCode(error)}).`, { cause: error })
}

const about = ({ manifest }: ReadBackup): string =>
  [
    manifest.created,
    manifest.url,
    manifest.wordpress_version === null ? manifest.type : `WordPress ${manifest.wordpress_version}`,
  ]
    .concat(`${manifest.files} files`, `${Object.keys(manifest.tables).length} tables`)
    .join(', ')

/** `backup list`: what is there, and whether it can be read. Resolves to whether all can. */
export async function listBackups(args: string[], print: Print): Promise<boolean> {
  const given = await argumentsOf('list', args, { least: 1, most: 1 })
  return readAll(given, (name, result) => {
    print(
      `${name}: ${result instanceof UnreadableBackup ? result.message : `${result.manifest.site}, ${about(result)}`}`,
    )
    return !(result instanceof UnreadableBackup)
  })
}

/** `backup verify`: compares all content with its checksums. Resolves to whether all is as it was backed up. */
export async function verifyBackups(args: string[], print: Print): Promise<boolean> {
  const given = await argumentsOf('verify', args, { least: 1, most: Number.POSITIVE_INFINITY })
  return readAll(given, (name, result) => {
    const isUnreadable = result instanceof UnreadableBackup
    const defects = isUnreadable ? [] : result.defects
    const found = defects.length === 0 ? 'every checksum is right' : 'damaged'
    print(`${name}: ${isUnreadable ? result.message : found}`)
    for (const defect of defects) print(`  ${defect}`)
    return !isUnreadable && defects.length === 0
  })
}

/** `backup extract`: unpacks a backup into a new folder, all of it or nothing. */
export async function extractBackup(args: string[], print: Print): Promise<void> {
  const { places, identity, variables } = await argumentsOf('extract', args, { least: 2, most: 2 })
  const [place, into] = places as [string, string]
  const target = pathOf(into)
  const [source, ...others] = await sourcesAt(place, variables)
  if (source === undefined || others.length > 0)
    throw new StartupError(`${place} is not one backup.`, 'Name one: backup list shows what is there.')
  if (await exists(target)) throw new StartupError(`${target} exists already.`, 'Name a folder that does not exist.')
  const next = 'Nothing was unpacked. Use another backup.'
  const parent = dirname(target)
  await mkdir(parent, { recursive: true })
  const unfinished = await mkdtemp(join(parent, '.easydash-extract-'))
  const members = intoFolder(unfinished)
  try {
    const { manifest, defects } = await keepingArchives((kept) => readBackup(source, identity, kept, members))
    if (defects.length > 0) throw new StartupError(`The backup is damaged: ${defects.join(' ')}`, next)
    await rename(unfinished, target)
    print(`Unpacked ${manifest.site} into ${target}: files, ${manifest.database ? 'database.sql, ' : ''}manifest.json.`)
  } catch (error) {
    await members.close()
    await rm(unfinished, { recursive: true, force: true })
    if (error instanceof UnreadableBackup) throw new StartupError(`${source.name}: ${error.message}`, next, error)
    if (error instanceof AppError) throw unreachable(source.name, error)
    const code = systemErrorCode(error)
    if (code === '') throw error
    throw new StartupError(`The backup was not unpacked (${code}).`, 'Check the file, the rights and the disk.', error)
  }
}

/** Writes members below a folder that nobody else writes to, and never over one another. */
function intoFolder(folder: string): MemberSink & { close(): Promise<void> } {
  let last: FileHandle | null = null
  const within = async (path: string): Promise<string> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    return join(folder, path)
  }
  return {
    async folder(path) {
      await mkdir(await within(path), { recursive: true })
    },
    async file(path) {
      const file = await open(await within(path), 'wx', 0o644)
      last = file
      return { write: (chunk) => file.appendFile(chunk), end: () => file.close() }
    },
    // Closing twice does nothing.
    close: async () => last?.close(),
  }
}
