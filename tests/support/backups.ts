/** Backups of sites of which only what changed is stored. */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { TestSites } from './sites.ts'

/** What tests do with the backups of an open setup. */
export function backupsOf(t: () => TestSites) {
  const transaction = <T>(work: (tx: Tx) => Promise<unknown>) =>
    t().deps.documents().transaction(systemSession('job'), work) as Promise<T>
  const read = (name: string) => transaction<SiteBackup>((tx) => tx.get(SiteBackupDoctype, name))
  const act = (backup: string, action: string, args: Record<string, unknown> = {}) =>
    t().deps.documents().runAction(t().owner, 'Site Backup', backup, action, args) as Promise<{
      job: string
      url: string
    }>
  const store = () => join(t().deps.backupsFolder, 'store')
  const work = () => join(t().deps.backupsFolder, 'work')
  const storedAt = ({ name }: SiteBackup) => join(store(), `${name}.tar.zst.age`)
  const wwwOf = (site: Site, path: string) => join(t().folder, 'files', site.name, 'www', path)
  const put = async (site: Site, path: string, content: Buffer | string) => {
    const at = wwwOf(site, path)
    await mkdir(dirname(at), { recursive: true })
    await writeFile(at, content)
  }

  /** A site whose archive is worth a second one that contains only what is new. */
  async function largeSite(domain: string): Promise<Site> {
    const site = await t().live(domain)
    await put(site, 'wp-content/uploads/large.bin', randomBytes(2_000_000))
    return site
  }

  /** Backs a site up a day later, and waits until that was proven. */
  async function backedUp(site: Site, args: Record<string, unknown> = {}): Promise<SiteBackup> {
    t().pass(86_400_000)
    const { name, job } = (await t().act(site.name, 'backup', args)) as { name: string; job: string }
    const made = await t().end({ job })
    if (made.status !== 'Done') throw new Error(`The backup was not made: ${String(made.error_message)}`)
    const jobs = await transaction<{ name: string }[]>((tx) => tx.list(JobDoctype, [['reference_name', '=', name]]))
    for (const { name: proof } of jobs) await t().end({ job: proof })
    return read(name)
  }

  return { transaction, read, act, store, work, storedAt, wwwOf, put, largeSite, backedUp }
}
