import { sql } from 'kysely'
import { ownHost } from '#server/engines/hosts.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EngineError, type SiteThumbnail } from '#server/engines/engine.ts'
import { fakeThumbnail } from '#server/engines/fake/fake-site.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { runThumbnailWorker, type ThumbnailWorker } from './thumbnail-worker.ts'
import { nextThumbnailRequest, readThumbnail, requestThumbnail, requestStaleThumbnail } from './thumbnail-table.ts'

const day = 24 * 3_600_000

let sites: TestSites

beforeAll(async () => {
  sites = await openTestSites()
})
afterAll(() => sites.close())

/** Waits until the condition holds for the site's document. The test's timeout applies. */
async function untilSite(name: string, holds: (site: Site) => boolean): Promise<Site> {
  for (;;) {
    const site = (await sites.siteNow(name)) as Site
    if (holds(site)) return site
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
}

/** A live site with its first thumbnail. */
async function createSiteWithThumbnail(domain: string): Promise<Site> {
  const { name } = await sites.live(domain)
  return untilSite(name, (site) => site.thumbnail !== null)
}

const kept = (name: string) => sites.running.documents.transaction(systemSession(), (tx) => readThumbnail(tx, name))

/** When a thumbnail is wanted, and when the last one was tried. */
async function requestOf(name: string): Promise<{ wanted: string | null; tried: string }> {
  return sites.running.documents.transaction(systemSession(), async (tx) => {
    const { rows } = await sql<{ wanted: string | null; tried: string }>`
      select wanted::text, tried::text from easydash_site_picture where site = ${name}`.execute(tx.trx)
    return rows[0] ?? { wanted: null, tried: '' }
  })
}

/** Runs `work` while the engine returns these screenshots instead; returns how often it was called. */
async function withEngine(give: (nth: number) => SiteThumbnail | Error, work: () => Promise<void>): Promise<number> {
  const { engine } = sites
  const { thumbnail } = engine
  let calls = 0
  engine.thumbnail = async () => {
    calls += 1
    const response = give(calls)
    if (response instanceof Error) throw response
    return response
  }
  try {
    await work()
  } finally {
    engine.thumbnail = thumbnail
  }
  return calls
}

const other: SiteThumbnail = {
  content: Buffer.concat([fakeThumbnail, Buffer.from('x')]),
  type: 'image/webp',
  width: 480,
  height: 300,
}

it('a site that went live gets a screenshot, and its document says where the thumbnail is', async () => {
  const site = await createSiteWithThumbnail('face')
  expect(site).toMatchObject({ thumbnail_problem: null, status: 'Live' })
  expect(site.thumbnail_taken).toMatch(/^\d{4}-/)
  const thumbnail = await kept(site.name)
  expect(thumbnail?.content.equals(fakeThumbnail)).toBe(true)
  expect(site.thumbnail).toBe(`/api/method/easydash.api.site.thumbnail?site=${site.name}&v=${thumbnail?.tag}`)
})

it('another PHP version requests a new thumbnail with a URL of its own', async () => {
  const before = await createSiteWithThumbnail('face-php')
  await withEngine(
    () => other,
    async () => {
      await sites.end(await sites.act(before.name, 'set_php_version', { php_version: '8.5' }))
      const after = await untilSite(before.name, (site) => site.thumbnail !== before.thumbnail)
      expect(after.thumbnail).not.toBeNull()
    },
  )
  expect((await kept(before.name))?.content.equals(other.content)).toBe(true)
})

it('a refresh takes a new screenshot; it does not count as an edit of the site, and viewers are notified', async () => {
  const before = await createSiteWithThumbnail('face-asked')
  const received: string[] = []
  const end = sites.running.documents.onEvent((event) => {
    if (event.doctype === 'Site' && event.name === before.name) received.push(event.modified)
  })
  await withEngine(
    () => other,
    async () => {
      expect(await sites.act(before.name, 'take_picture')).toBeNull()
      const after = await untilSite(before.name, (site) => site.thumbnail !== before.thumbnail)
      expect(after.modified).toBe(before.modified)
    },
  )
  end()
  expect(received.length).toBeGreaterThanOrEqual(2)
  // A form that was open all the time can still be saved.
  const saved = await sites.running.documents.save(sites.owner, 'Site', before.name, {
    title: 'Renamed',
    modified: before.modified,
  })
  expect(saved).toMatchObject({ title: 'Renamed' })
  const entries = await sites.running.documents.list(sites.owner, 'Activity', {
    fields: ['action'],
    filters: [['reference_name', '=', before.name]],
  })
  expect(entries.filter(({ action }) => String(action).includes('take_picture'))).toHaveLength(1)
})

it('a page that cannot be shown: the old thumbnail stays, with the reason; another try clears it', async () => {
  const before = await createSiteWithThumbnail('face-broken')
  const broken = new EngineError('unavailable', msg`The page answers with 500.`, { nextAction: msg`` })
  const calls = await withEngine(
    () => broken,
    async () => {
      await sites.act(before.name, 'take_picture')
      const after = await untilSite(before.name, (site) => site.thumbnail_problem !== null)
      expect(after).toMatchObject({ thumbnail: before.thumbnail, thumbnail_problem: 'The page answers with 500.' })
    },
  )
  expect(calls).toBe(1)
  sites.pass(1_000)
  await sites.act(before.name, 'take_picture')
  const again = await untilSite(before.name, (site) => site.thumbnail_taken !== before.thumbnail_taken)
  expect(again.thumbnail_problem).toBeNull()
})

it('a screenshot that cannot be taken now stays requested, and the requester sees why', async () => {
  const before = await createSiteWithThumbnail('face-later')
  const busy = new EngineError('unavailable', msg`No memory.`, { retryable: true, nextAction: msg`Later.` })
  let worker: ThumbnailWorker | null = null
  let isBusy = true
  await withEngine(
    () => (isBusy ? busy : other),
    async () => {
      await sites.act(before.name, 'take_picture')
      const messages = await untilSite(before.name, (site) => site.thumbnail_problem !== null)
      expect(messages).toMatchObject({ thumbnail: before.thumbnail, thumbnail_problem: 'No memory. Later.' })
      isBusy = false
      worker = runThumbnailWorker(sites.deps, sites.host)
      for (let now: Site = before; now.thumbnail === before.thumbnail;) {
        await worker.catchUp()
        now = (await sites.siteNow(before.name)) as Site
      }
      expect((await sites.siteNow(before.name))?.thumbnail_problem).toBeNull()
    },
  )
  await (worker as ThumbnailWorker | null)?.stop()
})

it('requests by users come first, and the engine receives that flag', async () => {
  const old = await createSiteWithThumbnail('face-old')
  const calls = await createSiteWithThumbnail('face-wanted')
  const rolledBack = new Error('only looked at')
  const looking = sites.running.documents.transaction(systemSession(), async (tx) => {
    await requestThumbnail(tx, old.name, '2000-01-01 00:00:00')
    await requestThumbnail(tx, calls.name, '2000-01-02 00:00:00', true)
    // A second request for the same thumbnail keeps the flag of the user who waits.
    await requestThumbnail(tx, calls.name, '2000-01-03 00:00:00')
    expect(await nextThumbnailRequest(tx, 'fake:this', '2000-01-03 00:00:00')).toMatchObject({
      site: { name: calls.name },
      requestedByUser: true,
    })
    throw rolledBack
  })
  await expect(looking).rejects.toBe(rolledBack)
  const { thumbnail } = sites.engine
  const messages: (boolean | undefined)[] = []
  sites.engine.thumbnail = async (_site, _signal, isAsked) => {
    messages.push(isAsked)
    return other
  }
  try {
    await sites.act(calls.name, 'take_picture')
    await untilSite(calls.name, (site) => site.thumbnail !== calls.thumbnail)
  } finally {
    sites.engine.thumbnail = thumbnail
  }
  expect(messages).toEqual([true])
})

it('a change without a job requests a new one, at most one in two minutes, in which the last change is', async () => {
  const site = await createSiteWithThumbnail('face-edited')
  const wanted = () => requestOf(site.name)
  const write = (content: string, version: string | null) =>
    sites.act(site.name, 'write_file', { path: 'new.txt', content, version })
  const due = (at: string) =>
    sites.running.documents.transaction(systemSession(), (tx) => nextThumbnailRequest(tx, 'fake:this', at))
  const before = await wanted()
  expect(before.wanted).toBeNull()
  await sites.act(site.name, 'read_file', { path: 'wp-config.php' }).catch(() => null)
  expect((await wanted()).wanted).toBeNull()
  const first = await write('one', null)
  const at = (await wanted()).wanted ?? ''
  expect(Date.parse(`${at}Z`) - Date.parse(`${before.tried}Z`)).toBe(120_000)
  expect(await due(before.tried)).toBeNull()
  expect(await due(at)).toMatchObject({ site: { name: site.name }, requestedByUser: false })
  sites.pass(300_000)
  await write('two', String(first?.['version']))
  expect(Date.parse(`${(await wanted()).wanted ?? ''}Z`)).toBeGreaterThan(Date.parse(`${at}Z`))
  await sites.act(site.name, 'take_picture')
  await untilSite(site.name, ({ thumbnail_taken }) => thumbnail_taken !== site.thumbnail_taken)
})

it('so do saved WordPress settings and consoles, but nothing that visitors do not see', async () => {
  const site = await createSiteWithThumbnail('face-changed')
  const sees = { ...sites.owner, reauthAt: Date.now() }
  const { values } = (await sites.act(site.name, 'read_wordpress_settings')) as { values: Record<string, string> }
  const changes = {
    save_wordpress_settings: { changes: { tagline: 'New' }, expected: { tagline: values['tagline'] } },
    run_php: { code: 'echo 1;', confirmed: 1 },
    run_sql: { sql: 'delete from wp_posts', confirmed: 1 },
  }
  expect((await requestOf(site.name)).wanted).toBeNull()
  await sites.act(site.name, 'login_link', { user: 'admin' })
  expect((await requestOf(site.name)).wanted).toBeNull()
  for (const [action, args] of Object.entries(changes)) {
    await sites.running.documents.transaction(systemSession(), (tx) =>
      sql`update easydash_site_picture set wanted = null where site = ${site.name}`.execute(tx.trx),
    )
    await sites.act(site.name, action, args, sees)
    expect((await requestOf(site.name)).wanted, action).not.toBeNull()
  }
})

it('a visit requests a new one once a day, sooner after a failure, never for a site that is not Live', async () => {
  const site = await createSiteWithThumbnail('face-visited')
  const listeners: ((id: string) => void)[] = []
  const engine = {
    ...sites.engine,
    events: {
      ...sites.engine.events,
      onVisit: (listener: (id: string) => void) => {
        listeners.push(listener)
        return () => undefined
      },
    },
    thumbnail: async () => other,
  }
  const wanted = async (): Promise<boolean> =>
    sites.running.documents.transaction(systemSession(), async (tx) => {
      const { rows } =
        await sql`select 1 from easydash_site_picture where site = ${site.name} and wanted is not null`.execute(tx.trx)
      return rows.length > 0
    })
  const visit = (at: number) =>
    sites.running.documents.transaction(systemSession(), (tx) =>
      requestStaleThumbnail(tx, site.name, new Date(at).toISOString().slice(0, 23).replace('T', ' ')),
    )
  const taken = Date.parse(`${String(site.thumbnail_taken).slice(0, 23).replace(' ', 'T')}Z`)
  expect(await visit(taken + day - 60_000)).toBe(false)
  expect(await wanted()).toBe(false)
  const worker = runThumbnailWorker(sites.deps, ownHost(engine, 'nowhere'))
  expect(await visit(taken + day + 60_000)).toBe(true)
  expect(await visit(taken + day + 60_000), 'it is wanted already').toBe(false)
  expect(listeners).toHaveLength(1)
  await untilSite(site.name, () => true)
  await worker.stop()
  await sites.running.documents.transaction(systemSession(), (tx) =>
    sql`update easydash_site_picture set wanted = null, failed = true where site = ${site.name}`.execute(tx.trx),
  )
  const { rows } = await sites.running.documents.transaction(systemSession(), (tx) =>
    sql<{ tried: string }>`select tried from easydash_site_picture where site = ${site.name}`.execute(tx.trx),
  )
  const tried = Date.parse(`${String(rows[0]?.tried).slice(0, 23).replace(' ', 'T')}Z`)
  expect(await visit(tried + 1_800_000)).toBe(false)
  expect(await visit(tried + 3_700_000)).toBe(true)
  await sites.end(await sites.act(site.name, 'archive', { confirm_name: 'face-visited' }))
  await sites.running.documents.transaction(systemSession(), (tx) =>
    sql`update easydash_site_picture set wanted = null where site = ${site.name}`.execute(tx.trx),
  )
  expect(await visit(tried + 10 * day)).toBe(false)
})

it('a user does not wait for a screenshot that cannot be taken now', async () => {
  const stuck = await createSiteWithThumbnail('face-stuck')
  const asked = await createSiteWithThumbnail('face-next')
  const busy = new EngineError('unavailable', msg`No memory.`, { retryable: true, nextAction: msg`Later.` })
  const request = (site: Site, byUser: boolean) =>
    sites.running.documents.transaction(systemSession(), (tx) =>
      requestThumbnail(tx, site.name, '2001-01-01 00:00:00', byUser),
    )
  const { engine } = sites
  const { thumbnail } = engine
  engine.thumbnail = async ({ id }) => {
    if (id !== stuck.name) return other
    await request(asked, true)
    throw busy
  }
  const worker = runThumbnailWorker(sites.deps, ownHost(engine))
  try {
    await request(stuck, false)
    // Or the product's own worker takes it.
    await worker.catchUp()
    await untilSite(asked.name, (site) => site.thumbnail !== asked.thumbnail)
    // Each worker that tried the stuck one requested the other anew: with the engine as it was, that one would get another picture.
    expect((await kept(asked.name))?.content.equals(other.content)).toBe(true)
    expect((await kept(stuck.name))?.content.equals(fakeThumbnail)).toBe(true)
  } finally {
    engine.thumbnail = thumbnail
    await worker.stop()
  }
})

it('an engine without screenshots says why, and nothing is tried', async () => {
  const site = await createSiteWithThumbnail('face-without')
  const reason = 'Screenshots need Chrome or Chromium on the machine that runs the dashboard.'
  const calls = await withEngine(
    () => other,
    async () => {
      const { lacks } = sites.engine
      sites.engine.lacks = () => ({ thumbnail: reason })
      try {
        expect(await rejectionOf(sites.act(site.name, 'take_picture'))).toMatchObject({
          code: 'unsupported',
          message: reason,
        })
        await sites.running.documents.transaction(systemSession(), (tx) =>
          requestThumbnail(tx, site.name, '2000-01-01 00:00:00'),
        )
        const worker = runThumbnailWorker(sites.deps, sites.host)
        await worker.catchUp()
        await worker.stop()
      } finally {
        sites.engine.lacks = lacks
      }
    },
  )
  expect(calls).toBe(0)
})

it('the thumbnail goes with its site', async () => {
  const site = await createSiteWithThumbnail('face-gone')
  await sites.end(await sites.act(site.name, 'archive', { confirm_name: 'face-gone' }))
  expect(await kept(site.name)).not.toBeNull()
  await sites.end(await sites.act(site.name, 'delete_permanently', { confirm_name: 'face-gone' }))
  expect(await sites.siteNow(site.name)).toBeNull()
  expect(await kept(site.name)).toBeNull()
})
