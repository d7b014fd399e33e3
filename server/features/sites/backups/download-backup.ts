import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { download, type ByteRange, type Download } from '#server/contracts/files.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { parseJson } from '#shared/parse-json.ts'
import { binary, described } from '#shared/schema.ts'
import type { SitesDeps } from '../deps.ts'
import { decrypted } from './archive-cipher.ts'
import { isIncrement } from './backup-parts.ts'
import type { Assemblies } from './increments/assemblies.ts'
import { storeOf } from './stores.ts'

const name = 'easydash.api.backups.download'
const lifeMs = 10 * 60_000
const aad = 'Site Backup/download'

/** A link to the archive of a backup, for ten minutes. Whoever has it needs no account. */
export async function downloadUrl({ secrets, clock = systemClock }: SitesDeps, backup: SiteBackup): Promise<string> {
  const until = clock.now() + lifeMs
  const key = await secrets.seal(backup.organization, aad, JSON.stringify({ backup: backup.name, until }))
  const query = new URLSearchParams({ backup: backup.name, key })
  return `/api/method/${name}?${query.toString()}`
}

/** Downloads by a plain link: browsers and `curl -C -` go on after a break. */
export function downloadBackupMethod(deps: SitesDeps, assemblies: Assemblies): Method {
  const { secrets, clock = systemClock } = deps
  return defineMethod({
    name,
    access: 'guest',
    verbs: ['GET'],
    params: { backup: data({ reqd: true, length: 10 }), key: data({ reqd: true, length: 2_000 }) },
    description: 'Streams the archive of a backup, decrypted. The link comes from the action `download_link`.',
    returns: described(binary, 'A zstd-compressed tar archive.'),
    async run({ backup: wanted, key }) {
      const run = <T>(work: (tx: Tx) => Promise<T>) => deps.documents().transaction(systemSession('job'), work)
      const backup = await run((tx) => tx.get(SiteBackupDoctype, wanted))
      // Before anything of its store is read: who has no link learns nothing, not even from an error.
      if (!backup || !(await isValid(secrets, backup, key, clock.now()))) throw expired()
      const [identity, store] = await run(
        async (tx) =>
          [
            await tx.secret(OrganizationDoctype, backup.organization, 'backup_identity'),
            await storeOf(deps, tx, backup),
          ] as const,
      )
      if (identity === null) throw expired()
      if (isIncrement(backup)) return putTogether(assemblies, backup)
      const content = await store.read(backup)
      return download({
        ...about(backup),
        length: backup.size,
        tag: backup.sha256,
        open: (range) => Readable.from(partOf(backup, identity, content, range), { objectMode: false }),
        close: () => void content.destroy(),
      })
    },
  })
}

const about = ({ site_domain: site, name: backup, taken_at: at, creation }: SiteBackup) => ({
  fileName: `${site ?? backup}-${(at ?? creation).slice(0, 10)}.tar.zst`,
  contentType: 'application/zstd',
})

/** One whose parts lie in several archives is put together first. */
async function putTogether(assemblies: Assemblies, backup: SiteBackup): Promise<Download> {
  const file = await assemblies.open(backup)
  return download({
    ...about(backup),
    length: (await file.stat()).size,
    // What is put together is the same; how it is compressed depends on the library.
    tag: `${backup.sha256}-${process.versions['zstd']}`,
    open: (range) => file.createReadStream({ ...range }),
    close: () => void file.close(),
  })
}

async function isValid(
  secrets: SitesDeps['secrets'],
  { name: backup, organization }: SiteBackup,
  key: string,
  now: number,
): Promise<boolean> {
  // A forged link is an old one to its user.
  const text = await secrets.open(organization, aad, key).catch(() => '')
  const link = parseJson(text)
  if (typeof link !== 'object' || link === null) return false
  return Reflect.get(link, 'backup') === backup && Number(Reflect.get(link, 'until')) > now
}

const expired = () =>
  new AppError('forbidden', msg`The link is no longer valid.`, {
    nextAction: msg`Get a new one on the page of the site.`,
  })

/**
 * Encrypted content is read from its beginning, whatever part is wanted. Its last bytes come only if it is what was stored: a download
 * of anything else breaks off.
 */
async function* partOf(
  { size, sha256 }: Pick<SiteBackup, 'size' | 'sha256'>,
  identity: string,
  content: Readable,
  range?: ByteRange,
): AsyncGenerator<Buffer> {
  try {
    const sum = createHash('sha256')
    let [at, last] = [0, Buffer.alloc(0)]
    const [start, end] = [range?.start ?? 0, range?.end ?? (size ?? 0) - 1]
    for await (const chunk of (await decrypted(identity, content)) as AsyncIterable<Buffer>) {
      if (last.length > 0) yield last
      last = Buffer.from(chunk).subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
      sum.update(chunk)
      at += chunk.length
      if (at > end && end + 1 < (size ?? 0)) break
    }
    const isWhole = end + 1 >= (size ?? 0)
    if (isWhole && sum.digest('hex') !== sha256)
      throw new AppError('invalid', msg`The archive is not the one that was stored.`, {
        nextAction: msg`Choose another backup.`,
      })
    if (last.length > 0) yield last
  } finally {
    content.destroy()
  }
}
