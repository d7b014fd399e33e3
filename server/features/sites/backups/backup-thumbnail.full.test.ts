import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import type { Method, MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { EngineError } from '#server/engines/engine.ts'
import { fakeThumbnail } from '#server/engines/fake/fake-site.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { msg } from '#shared/localized-message.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { backupThumbnailMethod, readBackupThumbnail } from './backup-thumbnail.ts'
import { proofDocumentMethod } from './proof-document.ts'

let t: TestSites
let backup: SiteBackup

beforeAll(async () => {
  t = await openTestSites()
  const site = await t.live('seen')
  const { name, job } = (await t.act(site.name, 'backup')) as { name: string; job: string }
  await t.end({ job })
  backup = await proven(name)
})
afterAll(() => t?.close())

async function proven(name: string): Promise<SiteBackup> {
  const transaction = t.deps.documents().transaction.bind(t.deps.documents())
  // The backup has itself proven.
  const [running] = await transaction(systemSession('job'), (tx) => tx.list('Job', [['reference_name', '=', name]]))
  if (running) await t.end({ job: running.name })
  await t.end((await t.deps.documents().runAction(t.owner, 'Site Backup', name, 'prove', {})) as { job: string })
  return (await transaction(systemSession('job'), (tx) => tx.get(SiteBackupDoctype, name))) as SiteBackup
}

const call = async (method: Method, params: Record<string, string>, session: Session = t.owner) => {
  const context = { session, documents: t.deps.documents() } as unknown as MethodContext
  return (await method.run({ backup: backup.name, ...params }, context)) as Download
}
const page = async () => text((await call(proofDocumentMethod(t.deps), { as: 'html' })).open())

test('a proof keeps the homepage that it saw for those who read the backup, also in its document', async () => {
  const shown = await call(backupThumbnailMethod(t.deps), {})
  expect(await buffer(shown.open())).toEqual(fakeThumbnail)
  expect(backup.thumbnail).toBe(`/api/method/easydash.api.backups.thumbnail?backup=${backup.name}&v=${shown.tag}`)
  expect(await rejectionOf(call(backupThumbnailMethod(t.deps), {}, t.other))).toMatchObject({ code: 'not_found' })
  expect(await page()).toContain(`<img src="data:image/webp;base64,${fakeThumbnail.toString('base64')}"`)
})

test('without a browser, or with one that fails, the proof says the same and shows none', async () => {
  const { lacks, thumbnail } = t.engine
  const without = [
    { lacks: () => ({ thumbnail: 'Screenshots need a browser.' }) },
    {
      thumbnail: () => Promise.reject(new EngineError('unavailable', msg`It is broken.`, { nextAction: msg`Wait.` })),
    },
  ]
  for (const changes of without) {
    expect(await proven(backup.name)).toMatchObject({ thumbnail: expect.any(String) as string })
    Object.assign(t.engine, changes)
    try {
      expect(await proven(backup.name)).toMatchObject({ proof: 'Proven', thumbnail: null })
      expect(await rejectionOf(call(backupThumbnailMethod(t.deps), {}))).toMatchObject({ code: 'not_found' })
      expect(await page()).not.toContain('<img')
    } finally {
      Object.assign(t.engine, { lacks, thumbnail })
    }
  }
})

test('it goes with its backup', async () => {
  const kept = () => t.deps.documents().transaction(systemSession('job'), (tx) => readBackupThumbnail(tx, backup.name))
  await proven(backup.name)
  expect(await kept()).not.toBeNull()
  await t.deps.documents().delete(t.owner, 'Site Backup', backup.name)
  expect(await kept()).toBeNull()
})
