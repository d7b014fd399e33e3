import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { listNames } from '#server/platform/files/list-folder.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { parseJson } from '#shared/parse-json.ts'
import type { SitesDeps } from '../../deps.ts'
import { decrypted, encrypted } from '../archive-cipher.ts'
import type { KnownContent } from './known-content.ts'

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)]

/**
 * What backups consist of, on the machine that made them: without such a list, the next backup is a full one. Encrypted like the
 * archives, as the sums say which known files a site has.
 */
const folderOf = ({ backupsFolder }: Pick<SitesDeps, 'backupsFolder'>): string => join(backupsFolder, 'pieces')
const ending = '.json.zst.age'
const pathOf = (deps: Pick<SitesDeps, 'backupsFolder'>, name: string): string =>
  join(folderOf(deps), `${name}${ending}`)

/** Keeps what a backup consists of. */
export async function keepContent(
  deps: Pick<SitesDeps, 'backupsFolder'>,
  name: string,
  identity: string,
  content: KnownContent,
): Promise<void> {
  const path = pathOf(deps, name)
  await mkdir(folderOf(deps), { recursive: true, mode: 0o700 })
  const packed = await compress(JSON.stringify(content))
  const bytes = await buffer(await encrypted(identity, Readable.from([packed], { objectMode: false })))
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

/** What a backup consists of; null if this machine does not know. A list that cannot be read is none. */
export async function knownContent(
  deps: Pick<SitesDeps, 'backupsFolder' | 'log'>,
  name: string,
  identity: string,
): Promise<KnownContent | null> {
  try {
    const bytes = await readFile(pathOf(deps, name))
    const packed = await buffer(await decrypted(identity, Readable.from([bytes], { objectMode: false })))
    return parseJson((await decompress(packed)).toString('utf8')) as KnownContent | null
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT')
      deps.log.warn('What a backup consists of could not be read; the next one is a full one', { backup: name, error })
    return null
  }
}

/** Removes the list of a backup. */
export const forgetContent = (deps: Pick<SitesDeps, 'backupsFolder'>, name: string): Promise<void> =>
  rm(pathOf(deps, name), { force: true })

/** Backups whose lists are here. */
export async function listedContents(deps: Pick<SitesDeps, 'backupsFolder'>): Promise<string[]> {
  const names = await listNames(folderOf(deps))
  return [...new Set(names.map((file) => file.replace(/\.json\.zst\.age(?:\.new)?$/, '')))]
}
