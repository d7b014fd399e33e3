import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { BulkRunDoctype, type BulkRun } from '#shared/doctypes/bulk-run.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { BulkRow } from '#shared/responses/bulk.ts'
import { maxSelected } from '#shared/rules/max-selected.ts'
import { addMember, until, untilEnded } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { bulkMethods } from './bulk-methods.ts'
import { advanceBulkRuns } from './bulk-advance.ts'

/** WordPress knows of a newer version of the plugin. */
const setUpdate = (trx: Trx, site: string) =>
  sql`update easydash_site_wordpress set facts = jsonb_set(facts, '{plugins}', (select jsonb_agg(
      case when plugin ->> 'id' = 'seo/seo.php' then plugin || '{"update": "2.1"}' else plugin || '{"update": null}' end)
    from jsonb_array_elements(facts -> 'plugins') plugin)) where site = ${site}`.execute(trx)

/** What a site answers that no longer works, as often as it is asked. */
const broken = Array.from({ length: 5 }, () => ({ status: 500, body: '' }))

let t: TestSites
let sites: Site[]

const method = (name: string) => {
  const found = bulkMethods(() => void advanceBulkRuns(t.deps)).find((one) => one.name.endsWith(name))
  if (!found) throw new Error(name)
  return found
}
const callMethod = async (name: string, params: Record<string, unknown>, session: Session = t.owner) =>
  method(name).run(params, { session, documents: t.running.documents } as never)
const start = async (action: string, argument: string | null, names: readonly string[], session = t.owner) =>
  ((await callMethod('start_bulk_run', { action, argument, sites: names }, session)) as { name: string }).name
const act = (run: string, action: string, session = t.owner) =>
  t.running.documents.runAction(session, 'Bulk Run', run, action, {})
const rows = async (run: string) => (await act(run, 'rows')) as unknown as BulkRow[]
const untilRun = async (run: string, met: (run: BulkRun) => boolean) =>
  (await until(t.running.documents, BulkRunDoctype, run, (doc) => doc !== null && met(doc))) as BulkRun
const states = async (run: string) => (await rows(run)).map(({ state }) => state)
const backupsOf = (site: string) => system<number>((tx) => tx.count(SiteBackupDoctype, [['site', '=', site]]))
const ended = (run: string) => untilRun(run, ({ status }) => status === 'Done')

beforeAll(async () => {
  t = await openTestSites()
  sites = await Promise.all(Array.from({ length: 50 }, (_, at) => t.live(`bulk-${at}`)))
})
afterAll(() => t?.close())

test('50 sites end with a truth each, never more than two at a time', async () => {
  let most = 0
  const unsubscribe = t.running.documents.onEvent(({ doctype }) => {
    if (doctype !== 'Bulk Run') return
    void t.running.documents
      .transaction(systemSession(), (tx) =>
        tx.count(JobDoctype, [
          ['job_type', '=', 'site.set_php_version'],
          ['status', 'not in', ['Done', 'Failed', 'Cancelled']],
        ]),
      )
      .then((n) => (most = Math.max(most, n)))
  })
  const names = sites.map(({ name }) => name)
  const run = await start('set_php_version', '8.3', names)
  expect(await ended(run)).toMatchObject({ total: 50, done: 50, waiting: 0, running: 0, failed: 0 })
  unsubscribe()
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(2)
  for (const row of await rows(run)) {
    expect(row).toMatchObject({ state: 'done', reason: null })
    expect(row.steps.map(({ status }) => status)).toEqual(['Done', 'Done'])
  }
  expect(await system<number>((tx) => tx.count(JobDoctype, [['bulk_run', '=', run]]))).toBe(50)
  for (const name of names) expect(await t.siteNow(name)).toMatchObject({ php_version: '8.3', locked_by_job: null })
})

const names = (...at: number[]) => at.map((one) => sites[one]?.name ?? '')
const system = <T>(fn: Parameters<Documents['transaction']>[1]) =>
  t.running.documents.transaction(systemSession(), fn) as Promise<T>
/** The site is held, as if a job of somebody else worked on it. */
const hold = async (site: string, label: string): Promise<string> => {
  const job = await system<{ name: string }>(async (tx) => {
    const held = await tx.insert(JobDoctype, {
      organization: 'acme',
      job_type: 'site.create',
      label,
      status: 'Running',
      reference_doctype: 'Site',
      reference_name: site,
      reference_title: 'x',
    })
    await tx.updateColumns(SiteDoctype, site, { locked_by_job: held.name })
    return held
  })
  return job.name
}
const release = (site: string, job: string) =>
  system(async (tx) => {
    await tx.updateColumns(SiteDoctype, site, { locked_by_job: null })
    await tx.update(JobDoctype, job, { status: 'Done' }, { hooks: false })
  })

test('a site that a job holds waits and says for what, while others go on', async () => {
  const [first = '', second = ''] = names(0, 1)
  const job = await hold(first, 'Copy x')
  const run = await start('flush_cache', null, [first, second])
  await untilRun(run, ({ done }) => done === 1)
  expect(await rows(run)).toMatchObject([
    { state: 'waiting', reason: expect.stringMatching(/“Copy x” is still running/) },
    { state: 'done', reason: null },
  ])
  await release(first, job)
  expect(await ended(run)).toMatchObject({ done: 2 })
  expect(await rows(run)).toMatchObject([{ state: 'done', reason: null }, { state: 'done' }])
})

test('what somebody started before and waits for a site comes first', async () => {
  const [site = ''] = names(0)
  const job = await hold(site, 'Copy x')
  const before = await t.act(site, 'set_php_version', { php_version: '8.2' })
  const run = await start('flush_cache', null, [site])
  // Free, but the job that waits for it has not started yet.
  await system((tx) => tx.updateColumns(SiteDoctype, site, { locked_by_job: null }))
  await advanceBulkRuns(t.deps)
  expect(await rows(run)).toMatchObject([{ state: 'waiting', job: null }])
  await release(site, job)
  expect(await t.end(before)).toMatchObject({ status: 'Done' })
  await ended(run)
  expect(await rows(run)).toMatchObject([{ state: 'done', reason: null }])
  expect(await ended(run)).toMatchObject({ done: 1 })
})

test('sites of a server that a job holds wait until it has ended', async () => {
  const sites = names(0, 1)
  const job = await hold(names(2)[0] ?? '', 'Reboot testbox')
  const holdServer = (locked_by_job: string | null) =>
    system((tx) => tx.updateColumns(ServerDoctype, t.server.name, { locked_by_job }))
  await holdServer(job)
  const run = await start('flush_cache', null, sites)
  await advanceBulkRuns(t.deps)
  const waits = {
    state: 'waiting',
    job: null,
    reason: expect.stringMatching(/“Reboot testbox” is still running/) as string,
  }
  expect(await rows(run)).toMatchObject([waits, waits])
  await holdServer(null)
  await release(names(2)[0] ?? '', job)
  await advanceBulkRuns(t.deps)
  expect(await ended(run)).toMatchObject({ done: 2 })
})

test('paused, it starts no more; resumed, it goes on; canceled, the rest is not started', async () => {
  const [held = '', ...others] = names(0, 1, 2, 3, 4)
  const job = await hold(held, 'Copy x')
  const run = await start('set_php_version', '8.4', [held, ...others])
  await untilRun(run, ({ done }) => done === 4)
  await act(run, 'pause')
  await release(held, job)
  await advanceBulkRuns(t.deps)
  expect(await rows(run)).toMatchObject([{ state: 'waiting' }, ...others.map(() => ({ state: 'done' }))])
  expect(await rejectionOf(act(run, 'pause'))).toMatchObject({ code: 'invalid' })
  await act(run, 'resume')
  expect(await ended(run)).toMatchObject({ done: 5 })

  const again = await hold(held, 'Copy x')
  const canceled = await start('flush_cache', null, [held])
  await act(canceled, 'cancel')
  await release(held, again)
  await advanceBulkRuns(t.deps)
  expect(await rows(canceled)).toMatchObject([{ state: 'canceled', job: null }])
  expect(await untilRun(canceled, ({ status }) => status === 'Cancelled')).toMatchObject({ canceled: 1, waiting: 0 })
})

test('what does not apply to a site is skipped with the reason; what failed is retried', async () => {
  const [one = '', two = ''] = names(5, 6)
  await t.end(await t.act(one, 'set_php_version', { php_version: '8.5' }))
  t.engine.answers.push(...broken)
  const run = await start('set_php_version', '8.5', [one, two])
  expect(await ended(run)).toMatchObject({ skipped: 1, failed: 1 })
  expect(await rows(run)).toMatchObject([
    { state: 'skipped', job: null, reason: expect.stringMatching(/already runs PHP 8.5/) },
    { state: 'failed', reason: expect.stringMatching(/500/) },
  ])
  expect(await t.siteNow(two)).toMatchObject({ php_version: '8.3', status: 'Live' })
  t.engine.answers.length = 0
  await act(run, 'retry_failed')
  expect(await ended(run)).toMatchObject({ skipped: 1, failed: 0, done: 1 })
  expect(await rejectionOf(act(run, 'retry_failed'))).toMatchObject({ code: 'invalid' })
})

test('the job of a failed site that somebody retries by itself counts, too', async () => {
  const [site = ''] = names(7)
  t.engine.answers.push(...broken)
  const run = await start('set_php_version', '8.5', [site])
  expect(await ended(run)).toMatchObject({ failed: 1 })
  t.engine.answers.length = 0
  const [row] = await rows(run)
  await t.running.documents.runAction(t.owner, 'Job', row?.job ?? '', 'retry', {})
  await untilRun(run, ({ done }) => done === 1)
  expect(await rows(run)).toMatchObject([{ state: 'done', reason: null }])
})

test('each site is checked with the rights its starter has when its turn comes', async () => {
  const [own = '', shared = '', hidden = ''] = names(8, 9, 10)
  const user = 'mia@acme.example'
  const shareId = await system<string>(async (tx) => {
    await addMember(tx, 'acme', { email: user, name: 'Mia', role: 'Organization User' })
    const share = (site: string, write: 0 | 1) =>
      tx.insert(DocShareDoctype, {
        organization: 'acme',
        share_doctype: 'Site',
        share_name: site,
        user,
        read: 1,
        write,
      })
    await share(shared, 0)
    return (await share(own, 1)).name
  })
  const mia = sessionOf(user, 'acme')
  const begun = (await callMethod('start_bulk_run', { action: 'flush_cache', sites: [own, shared, hidden] }, mia)) as {
    name: string
    skipped: number
  }
  expect(begun.skipped, 'a site she cannot see is not named').toBe(1)
  await ended(begun.name)
  const seen = (await act(begun.name, 'rows', mia)) as unknown as BulkRow[]
  expect(seen).toMatchObject([
    { site: own, state: 'done' },
    { site: shared, state: 'skipped', reason: 'You can no longer do this on the site.' },
  ])

  const job = await hold(own, 'Copy x')
  const lost = await start('flush_cache', null, [own], mia)
  await system((tx) => tx.delete(DocShareDoctype, shareId))
  await release(own, job)
  expect(await ended(lost)).toMatchObject({ skipped: 1, done: 0 })
  expect(await rejectionOf(act(lost, 'rows', sessionOf('stranger@globex.example', 'globex')))).not.toBeNull()
})

test('rows are called what people call the sites, and are confirmed by their domains', async () => {
  const [name = '', untitled = ''] = names(13, 14)
  const call = (site: string, title: string | null) =>
    system((tx) => tx.update(SiteDoctype, site, { title }, { hooks: false, activity: false }))
  await call(name, 'Play House')
  await call(untitled, null)
  const archived = await start('archive', '1', [name, untitled])
  await ended(archived)
  expect(await rows(archived)).toMatchObject([
    { state: 'done', title: 'Play House', address: 'bulk-13' },
    { state: 'done', title: 'bulk-14', address: null },
  ])
  // Asked for by the argument.
  const [first] = await rows(archived)
  expect(first?.steps.map(({ key }) => key)).toContain('backup_pack')
  expect(await backupsOf(name)).toBe(1)
  const plain = await start('restore_archive', null, [name])
  await ended(plain)
  const again = await start('archive', null, [name])
  await ended(again)
  expect(await backupsOf(name)).toBe(1)
  const gone = await start('delete_permanently', null, [name])
  expect(await ended(gone)).toMatchObject({ done: 1 })
  expect(await rows(gone)).toMatchObject([{ title: 'Play House', address: 'bulk-13', deleted: true }])
  expect(await rows(archived)).toMatchObject([{ deleted: true }, { site: untitled, deleted: false }])
})

test('bad input is refused', async () => {
  const bad = (action: string, argument: string | null, given: unknown) =>
    rejectionOf(callMethod('start_bulk_run', { action, argument, sites: given }))
  expect(await bad('flush_cache', null, [])).toMatchObject({ code: 'invalid', field: 'sites' })
  expect(await bad('flush_cache', null, 'a')).toMatchObject({ code: 'invalid', field: 'sites' })
  expect(await bad('flush_cache', null, [{}])).toMatchObject({ code: 'invalid', field: 'sites' })
  expect(
    await bad(
      'flush_cache',
      null,
      Array.from({ length: maxSelected + 1 }, (_, at) => `s${at}`),
    ),
  ).toMatchObject({
    code: 'invalid',
  })
  expect(await bad('set_php_version', '5.2', names(0))).toMatchObject({ code: 'invalid', field: 'argument' })
  expect(await bad('archive', 'yes', names(0))).toMatchObject({ code: 'invalid', field: 'argument' })
  expect(await bad('update_plugin', '../x.php', names(0))).toMatchObject({ code: 'invalid', field: 'argument' })
  expect(await bad('flush_cache', null, ['no-such-site'])).toMatchObject({ code: 'not_found' })
})

test('a plugin is updated where a newer version is known', async () => {
  const [has = '', not = ''] = names(11, 12)
  await t.end(await t.act(has, 'install_plugin', { slug: 'seo' }))
  await t.act(has, 'inspect_wordpress')
  await t.act(not, 'inspect_wordpress')
  await system((tx) => setUpdate(tx.trx, has))
  expect(await callMethod('plugin_updates', { sites: [has, not] })).toMatchObject([
    { plugin: 'seo/seo.php', version: '2.1', sites: [has] },
  ])
  const run = await start('update_plugin', 'seo/seo.php', [has, not])
  await ended(run)
  expect(await rows(run)).toMatchObject([
    { state: 'done' },
    { state: 'skipped', reason: 'The site does not have this plugin.' },
  ])
})

/** Documents of a process that dies at its n-th transaction: before it, or right after its commit. */
function dyingAt(point: number): { documents: Documents; used: () => number } {
  let calls = 0
  const dying = <A extends unknown[], R>(fn: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      calls += 1
      const at = calls
      if (point <= 2 * at) throw new Error('killed before')
      const result = await fn(...args)
      if (point === 2 * at + 1) throw new Error('killed after')
      return result
    }
  }
  const { transaction, runActionAnd, ...rest } = t.running.documents
  return {
    documents: { ...rest, transaction: dying(transaction) as never, runActionAnd: dying(runActionAnd) },
    used: () => calls,
  }
}

test('killed between any two steps, every site gets its job exactly once', async () => {
  const three = names(20, 21, 22)
  const jobsOf = (site: string) =>
    system<number>((tx) =>
      tx.count(JobDoctype, [
        ['reference_name', '=', site],
        ['job_type', '=', 'site.flush_cache'],
      ]),
    )
  // The feature's own loop starts nothing now.
  t.deps.bulkAtOnce = 0
  try {
    const runOnce = async (point: number): Promise<number> => {
      const { documents, used } = dyingAt(point)
      const before = await Promise.all(three.map(jobsOf))
      const run = await start('flush_cache', null, three)
      let process = documents
      const deps = { ...t.deps, bulkAtOnce: 2, documents: () => process }
      for (let turn = 0; turn < 20; turn += 1) {
        try {
          await advanceBulkRuns(deps)
        } catch (error) {
          expect(String(error)).toMatch(/killed/)
          process = t.running.documents
        }
        const now = await rows(run)
        expect(now.filter(({ state }) => state === 'running').length).toBeLessThanOrEqual(2)
        const jobs = now.flatMap(({ state, job }) => (state === 'running' && job ? [job] : []))
        await Promise.all(jobs.map((job) => untilEnded(t.running.documents, job)))
        if (now.every(({ state }) => state === 'done')) break
      }
      expect(await states(run), `killed at ${point}`).toEqual(['done', 'done', 'done'])
      expect(await Promise.all(three.map(jobsOf))).toEqual(before.map((n) => n + 1))
      return used()
    }
    const steps = await runOnce(Infinity)
    expect(steps).toBeGreaterThan(10)
    // Of the calls of one run, which differ in number by how jobs end: before each, and after its commit.
    for (let point = 2; point <= 2 * steps + 1; point += 1) await runOnce(point)
  } finally {
    t.deps.bulkAtOnce = 2
  }
})
