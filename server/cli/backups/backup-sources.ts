import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, posix, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { parseEnv } from 'node:util'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { openS3Bucket, type S3Bucket } from '#server/providers/aws/s3-bucket.ts'
import { AppError } from '#shared/errors.ts'

/** A backup that can be read. */
export interface BackupSource {
  /** As people name it. */
  readonly name: string
  /** Its path or address. */
  readonly place: string
  open(): Promise<Readable>
  /** Another backup of the site, which lies in the same folder, or in one beside that if the site changed its name; null if it does not. */
  beside(backup: string): Promise<BackupSource | null>
}

/** npm runs scripts in the project folder; the user may be in another one. */
export const pathOf = (given: string): string => resolve(process.env['INIT_CWD'] ?? process.cwd(), given)

/** Keys of a bucket and where it is: variables as AWS' own tools have them. */
export type BucketVariables = Readonly<Record<string, string | undefined>>

/** Variables of a file with a line like `AWS_ACCESS_KEY_ID=…` for each. */
export async function variablesIn(path: string): Promise<BucketVariables> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartupError(
      `The credentials ${path} cannot be read (${systemErrorCode(error)}).`,
      'Name a file with AWS_ACCESS_KEY_ID=… and AWS_SECRET_ACCESS_KEY=…',
      error,
    )
  })
  return parseEnv(text)
}

/**
 * Backups of a place: a file is itself, a folder has those in it and in its folders, and so has `s3://BUCKET/PREFIX`; without a prefix
 * where Easydash puts them. By name.
 */
export async function sourcesAt(place: string, variables: BucketVariables): Promise<BackupSource[]> {
  if (!place.startsWith('s3://')) return filesOf(pathOf(place))
  const { bucket, name, key } = bucketAt(place, variables)
  const from = { bucket, name, keysIn: keysIn(bucket) }
  if (isBackup(key)) return [objectAt(from, key)]
  try {
    const found = await from.keysIn(key === '' ? 'easydash/' : key)
    return found.toSorted().map((one) => objectAt(from, one))
  } catch (error) {
    if (error instanceof AppError) throw unreachable(place, error)
    throw error
  }
}

/** Lists backups of a bucket below a prefix: each once, as every backup asks for others. */
function keysIn(bucket: S3Bucket): (prefix: string) => Promise<readonly string[]> {
  const known = new Map<string, readonly string[]>()
  return async (prefix) => {
    for (const [listed, keys] of known)
      if (prefix.startsWith(listed)) return keys.filter((key) => key.startsWith(prefix))
    const keys: string[] = []
    for await (const { key } of bucket.list(prefix)) if (isBackup(key)) keys.push(key)
    known.set(prefix, keys)
    return keys
  }
}

const isBackup = (name: string): boolean => /\.tar\.zst(?:\.age)?$/.test(name)

interface Bucket {
  readonly bucket: S3Bucket
  readonly name: string
  readonly keysIn: ReturnType<typeof keysIn>
}

const objectAt = (from: Bucket, key: string): BackupSource => ({
  name: `s3://${from.name}/${key}`,
  place: `s3://${from.name}/${key}`,
  open: () => from.bucket.get(key),
  async beside(backup) {
    const folder = key.slice(0, key.lastIndexOf('/') + 1)
    for (const prefix of [folder, folder.replace(/[^/]+\/$/, '')]) {
      const found = (await from.keysIn(prefix)).find((one) => isArchiveOf(one, backup))
      if (found !== undefined) return objectAt(from, found)
    }
    return null
  },
})

const isArchiveOf = (path: string, backup: string): boolean =>
  [`${backup}.tar.zst.age`, `${backup}.tar.zst`].includes(posix.basename(path))

function bucketAt(place: string, variables: BucketVariables): { bucket: S3Bucket; name: string; key: string } {
  const [, name, key = ''] = /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])(?:\/(.*))?$/s.exec(place) ?? []
  if (name === undefined)
    throw new StartupError(
      `${place} names no bucket.`,
      'Name it like s3://BUCKET or s3://BUCKET/easydash/ORGANIZATION/.',
    )
  const [accessKey, secretKey] = [variables['AWS_ACCESS_KEY_ID'], variables['AWS_SECRET_ACCESS_KEY']]
  if (!accessKey || !secretKey)
    throw new StartupError(
      'The keys of the bucket are missing.',
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or name a file with them with --credentials FILE.',
    )
  const endpoint = variables['AWS_ENDPOINT_URL_S3'] || variables['AWS_ENDPOINT_URL'] || null
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new StartupError('AWS_ENDPOINT_URL_S3 is no address.', 'Set it to that of the store, with https://.')
  const region = variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || ''
  // Whoever runs the command chooses the address.
  const bucket = openS3Bucket({ name, region, endpoint, accessKey, secretKey }, { profile: 'operator' })
  return { bucket, name, key }
}

/** The error of a store that gives nothing. */
export const unreachable = (place: string, error: AppError): StartupError =>
  new StartupError(
    `${place}: ${error.message}`,
    error.nextAction?.text ?? 'Check the keys and the address of the store.',
    error,
  )

async function filesOf(path: string): Promise<BackupSource[]> {
  const about = await stat(path).catch((error: unknown) => {
    throw new StartupError(`${path} cannot be read (${systemErrorCode(error)}).`, 'Name a folder with backups.', error)
  })
  const around = filesAround()
  if (about.isFile()) return [fileAt(path, around)]
  const found = await readdir(path, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && isBackup(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((one) => fileAt(one, around))
}

/** Finds backups in a folder, then in those beside it: in each once, as every backup asks for others. */
function filesAround(): (folder: string) => Promise<readonly string[]> {
  const known = new Map<string, readonly string[]>()
  return async (folder) => {
    const before = known.get(folder)
    if (before) return before
    const folders = await readdir(dirname(folder), { withFileTypes: true })
    const others = folders.filter((entry) => entry.isDirectory()).map((entry) => join(dirname(folder), entry.name))
    const found: string[] = []
    for (const one of new Set([folder, ...others])) {
      // One that we can't look into has none for us.
      const names = await readdir(one).catch(() => [])
      found.push(...names.filter(isBackup).map((name) => join(one, name)))
    }
    known.set(folder, found)
    return found
  }
}

const fileAt = (path: string, around: ReturnType<typeof filesAround>): BackupSource => ({
  name: basename(path),
  place: path,
  open: async () => createReadStream(path),
  async beside(backup) {
    const found = (await around(dirname(path))).find((one) => isArchiveOf(one, backup))
    return found === undefined ? null : fileAt(found, around)
  },
})
