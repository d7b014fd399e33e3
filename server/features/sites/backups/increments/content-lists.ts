import { text } from 'node:stream/consumers'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { parseJson } from '#shared/parse-json.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../../deps.ts'
import { readList, removeList, writeList } from '../sealed-lists.ts'
import type { KnownContent } from './known-content.ts'

type Deps = Pick<SitesDeps, 'backupsFolder'>

/** Keeps what a backup consists of. Without that the next one is a full one, which is no reason for this one to fail. */
export const keepContent = (
  deps: Deps & Pick<SitesDeps, 'log'>,
  backup: string,
  identity: string,
  content: KnownContent,
): Promise<void> =>
  writeList(deps, 'pieces', { backup, identity }, [JSON.stringify(content)]).catch((error: unknown) =>
    deps.log.warn('What a backup consists of could not be kept; the next one is a full one', { backup, error }),
  )

/** What a backup consists of; null if this machine does not know: the next one is a full one then. A list that cannot be read is none. */
export async function knownContent(
  deps: Deps & Pick<SitesDeps, 'log'>,
  { name: backup, needs }: Pick<SiteBackup, 'name' | 'needs'>,
  identity: string,
): Promise<KnownContent | null> {
  try {
    const known = parseJson(await text(await readList(deps, 'pieces', { backup, identity }))) as KnownContent | null
    if (known === null) return null
    // The list of another backup leads to archives that nobody keeps for this one.
    const own = new Set([...(needs ?? []), backup])
    if (known.archives.at(-1) === backup && known.archives.every((name) => own.has(name))) return known
    deps.log.warn('The list of what a backup consists of is that of another one; the next one is a full one', {
      backup,
    })
    return null
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT')
      deps.log.warn('What a backup consists of could not be read; the next one is a full one', { backup, error })
    return null
  }
}

/** Forgets what a backup consists of. */
export const forgetContent = (deps: Deps, backup: string): Promise<void> => removeList(deps, 'pieces', backup)
