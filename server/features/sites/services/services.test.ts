import { afterAll, beforeAll, expect, test } from 'vitest'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

test('the proxy cache and MailHog of a site are turned on and off on its server, and that is in the activity', async () => {
  const site = await t.live('services')
  const now = () => t.engine.services.read(siteRef(site, thisMachine))
  const read = () => t.act(site.name, 'read_services')
  expect(await read()).toEqual({ proxy_cache: false, mail_catcher: false })
  await t.act(site.name, 'set_proxy_cache', { enabled: 1 })
  await t.act(site.name, 'set_mail_catcher', { enabled: 1 })
  expect(await now()).toEqual({ proxyCache: true, mailCatcher: true })
  await t.act(site.name, 'purge_proxy_cache')
  await t.act(site.name, 'set_mail_catcher', { enabled: 0 })
  expect(await read()).toEqual({ proxy_cache: true, mail_catcher: false })

  const entries = await t.running.documents.transaction(systemSession(), (tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', site.name],
      ['action', 'in', ['Site.set_proxy_cache', 'Site.purge_proxy_cache', 'Site.set_mail_catcher']],
    ]),
  )
  expect(entries.map(({ action, after, result }) => [action, after, result])).toEqual(
    expect.arrayContaining([
      ['Site.set_proxy_cache', { proxy_cache: 1 }, 'Done'],
      ['Site.set_mail_catcher', { mail_catcher: 1 }, 'Done'],
      ['Site.purge_proxy_cache', null, 'Done'],
      ['Site.set_mail_catcher', { mail_catcher: 0 }, 'Done'],
    ]),
  )
  expect(entries).toHaveLength(4)
  expect(await rejectionOf(t.act(site.name, 'set_proxy_cache', { enabled: 'yes' }))).toMatchObject({ field: 'enabled' })
})
