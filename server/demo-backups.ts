import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '#server/contracts/session.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { systemSession } from './jobs/session.ts'
import { sessionOf, waitForJob } from './demo.ts'
import type { Product } from './product.ts'

/** Notes of the backups, oldest first. */
const notes = ['First backup', 'Before the new theme', undefined, undefined, undefined]
const damaged = 1

/**
 * Backs up the blog of the demo and a site on a server as their owner would, and has each backup proven. One archive is really damaged and
 * proven again. It takes minutes, during which the demo can be used already.
 */
export async function demoBackups(product: Product): Promise<void> {
  const { documents } = product
  const owner = sessionOf('owner@acme.example', 'acme')
  const site = await siteAt(product, owner, 'blog')
  for (const [at, note] of notes.entries()) {
    const name = await backUp(product, owner, site, note === undefined ? {} : { note })
    if (at !== damaged) continue
    await damage(name)
    const again = (await documents.runAction(owner, 'Site Backup', name, 'prove', {})) as { job: string }
    await waitForJob(product, owner, again.job)
  }
  const [failed] = await documents.transaction(systemSession('terminal'), (tx) =>
    tx.list(SiteBackupDoctype, [
      ['site', '=', site],
      ['proof', '=', 'Failed'],
    ]),
  )
  if (!failed) throw new Error('The damaged archive was not found out')
  await backUp(product, owner, await siteAt(product, owner, 'press.acme.example'), {})
}

async function siteAt({ documents }: Product, owner: Session, domain: string): Promise<string> {
  const [site] = await documents.list(owner, 'Site', { filters: { domain }, fields: ['name'] })
  return String(site?.['name'])
}

/** Makes a backup, and waits until it is proven. */
async function backUp(
  product: Product,
  owner: Session,
  site: string,
  args: { readonly note?: string },
): Promise<string> {
  const made = (await product.documents.runAction(owner, 'Site', site, 'backup', args)) as { name: string; job: string }
  await waitForJob(product, owner, made.job)
  await waitForJob(product, owner, await proofOf(product, made.name))
  return made.name
}

/** The job that proves a backup, which begins when that is stored. */
async function proofOf({ documents }: Product, backup: string): Promise<string> {
  const job = await documents.transaction(systemSession('terminal'), (tx) =>
    tx.find(JobDoctype, [
      ['reference_doctype', '=', 'Site Backup'],
      ['reference_name', '=', backup],
    ]),
  )
  if (!job) throw new Error(`The backup ${backup} is not being proven`)
  return job.name
}

/** Changes one bit of a stored archive. */
async function damage(backup: string): Promise<void> {
  const path = join(process.env['EASYDASH_DATA_DIR'] ?? '', 'backups', 'store', `${backup}.tar.zst.age`)
  const content = await readFile(path)
  const at = Math.floor(content.length / 2)
  content[at] = (content[at] ?? 0) ^ 1
  await writeFile(path, content)
}
