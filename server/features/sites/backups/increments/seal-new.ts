import type { JobContext } from '#server/contracts/job.ts'
import type { NewContent, Sealing } from '#server/engines/site-backups.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../../deps.ts'
import { backupOf } from '../backup-parts.ts'
import { holdBase, possibleBase, sharesEnough } from './chains.ts'
import { keepContent, knownContent } from './content-lists.ts'
import { packIncrement } from './increment-archive.ts'
import { compareListed, listedContent, type ListedContent } from './listed-content.ts'
import type { KnownContent } from './known-content.ts'

interface Target {
  readonly name: string
  readonly identity: string
}

/** Archives of what is new that machines make whose contents are not here: what they consist of is known by a list of that. */
export function sealingOfNew(
  deps: SitesDeps,
  { name, identity }: Target,
  job: Pick<JobContext, 'transaction' | 'log'>,
): Pick<Sealing, 'compare' | 'keep'> {
  return {
    async compare(tar) {
      let all = 0
      for (const { bytes } of tar) all += bytes
      const base = await baseOf(deps, { name, identity }, all, job)
      const listed = base && (await compareListed(name, tar, base.known))
      if (!base || !listed) return null
      if (!sharesEnough(listed.compared)) return full(job, 'too little of it was there before')
      const isHeld = await job.transaction((tx) => holdBase(tx, name, base.backup))
      return isHeld ? newContent(deps, { name, identity }, listed) : full(job, 'the backup before is gone')
    },
    async keep(tar) {
      const content = await listedContent(name, tar)
      if (content) await keepContent(deps, name, identity, content)
    },
  }
}

async function baseOf(
  deps: SitesDeps,
  { name, identity }: Target,
  bytes: number,
  job: Pick<JobContext, 'transaction' | 'log'>,
): Promise<{ readonly backup: SiteBackup; readonly known: KnownContent } | null> {
  const own = await backupOf(job, name)
  const backup = await job.transaction((tx) => possibleBase(tx, own, bytes))
  if (!backup) return null
  const known = await knownContent(deps, backup, identity)
  if (known?.bits === null) return { backup, known }
  return full(
    job,
    known ? 'the backup before was not made by the server' : 'it is not known what is in the backup before',
  )
}

function full({ log }: Pick<JobContext, 'log'>, reason: string): null {
  log(`Everything is stored: ${reason}.`)
  return null
}

function newContent(deps: SitesDeps, { name, identity }: Target, { compared, ranges }: ListedContent): NewContent {
  return {
    ranges,
    async pack(sha256, { site, created }) {
      const packed = await packIncrement({ ...compared, sha256 }, { backup: name, site, created })
      await keepContent(deps, name, identity, packed.content)
      return packed
    },
  }
}
