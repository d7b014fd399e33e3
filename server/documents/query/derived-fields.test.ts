import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { readsOf } from '#tests/support/query-plans.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')
beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
})
afterAll(() => t?.close())

/** Records entries of a job, each in a transaction of its own, as the steps of an act are. */
async function record(job: string, ...entries: readonly [action: string, result: ActivityEntry['result']][]) {
  for (const [action, result] of entries)
    await t.documents.transaction(owner, (tx) =>
      tx.activity({ organization: 'acme', action, job, ...(result && { result }) }),
    )
}

/** Entries of a job that the activity page lists, newest first. */
async function listed(job: string, query: object = {}): Promise<string[]> {
  const filters = [...(ActivityDoctype.list?.filters ?? []), ['job', '=', job]]
  const rows = await t.documents.list(owner, 'Activity', {
    fields: ['action', 'result'],
    filters,
    order_by: 'creation desc',
    ...query,
  })
  expect(await t.documents.count(owner, 'Activity', { filters })).toBe(rows.length)
  expect(await t.documents.count(owner, 'Activity', { filters, limit: 1001 })).toBe(rows.length)
  return rows.map(({ action, result }) => `${String(action)} ${String(result)}`)
}

describe('an act is one row of the activity', () => {
  test('from the request over the start to the end', async () => {
    await record('one', ['Site.insert', 'Started'])
    expect(await listed('one')).toEqual(['Site.insert Started'])
    await record('one', ['site.create', 'Started'])
    expect(await listed('one')).toEqual(['site.create Started'])
    await record('one', ['site.create', 'Done'])
    expect(await listed('one')).toEqual(['site.create Done'])
  })

  test('a retry is another one', async () => {
    await record('two', ['site.archive', 'Started'], ['site.archive', 'Failed'])
    await record('two', ['site.archive', 'Started'])
    expect(await listed('two')).toEqual(['site.archive Started', 'site.archive Failed'])
    await record('two', ['site.archive', 'Done'])
    expect(await listed('two')).toEqual(['site.archive Done', 'site.archive Failed'])
  })

  test('at each document that it is about', async () => {
    const at = (reference_name: string, result: ActivityEntry['result']) =>
      t.documents.transaction(owner, (tx) =>
        tx.activity({
          organization: 'acme',
          action: reference_name,
          reference_doctype: 'Site',
          reference_name,
          job: 'subjects',
          ...(result && { result }),
        }),
      )
    await at('source', 'Started')
    await at('copy', 'Started')
    expect(await listed('subjects')).toEqual(['copy Started', 'source Started'])
    await at('copy', 'Done')
    expect(await listed('subjects')).toEqual(['copy Done', 'source Started'])
  })

  test('that runs beside others, and beside entries without a job', async () => {
    await record('three', ['site.archive', 'Started'])
    await record('four', ['site.archive', 'Done'])
    await t.documents.transaction(owner, (tx) => tx.activity({ organization: 'acme', action: 'Site.update' }))
    expect(await listed('three')).toEqual(['site.archive Started'])
  })
})

test('queries filter, group, order and select by a derived field; documents do not have it', async () => {
  await record('five', ['site.archive', 'Started'], ['site.archive', 'Done'])
  const job = ['job', '=', 'five']
  const list = (query: object) => t.documents.list(owner, 'Activity', { filters: [job], ...query })
  expect(await list({ fields: ['result', 'superseded'], order_by: 'superseded desc' })).toEqual([
    { result: 'Started', superseded: 1 },
    { result: 'Done', superseded: 0 },
  ])
  expect(
    await list({ fields: ['superseded', 'count(name) as n'], group_by: 'superseded', order_by: 'superseded asc' }),
  ).toEqual([
    { superseded: 0, n: 1 },
    { superseded: 1, n: 1 },
  ])
  const resultsOf = async (...filter: unknown[]) =>
    (await list({ fields: ['result'], filters: [job, ['superseded', ...filter]] })).map(({ result }) => result)
  for (const filter of [
    ['=', 1],
    ['!=', 0],
    ['>', 0],
    ['in', [1]],
  ])
    expect(await resultsOf(...filter)).toEqual(['Started'])
  for (const filter of [
    ['=', 0],
    ['!=', 1],
    ['<', 1],
    ['not in', [1]],
    ['=', null],
  ])
    expect(await resultsOf(...filter)).toEqual(['Done'])
  const [entry] = await list({ fields: ['*'], limit: 1 })
  expect(entry).not.toHaveProperty('superseded')
})

test('a page and a limited count of a large log read about as many entries as they show', async () => {
  const entries = 20_000
  await sql`insert into tab_activity (name, owner, creation, modified, modified_by, organization, actor, action, result, job,
      reference_doctype, reference_name)
    select 'a' || n, 'x', now() - n * interval '1 minute', now(), 'x', 'acme', 'x', 'site.create',
      (array['Started','Done'])[1 + n % 2], 'job' || (n + 1) / 2, 'Organization', 'acme'
    from generate_series(1, ${entries}::int) n`.execute(t.test.database.db)
  await t.test.database.pool.query('vacuum analyze tab_activity')
  const filters = ActivityDoctype.list?.filters ?? []
  const reads = (work: () => Promise<unknown>) => readsOf(t, ActivityDoctype, work)
  const page = { fields: ['name', 'job'], filters, order_by: 'creation desc', limit: 20 }
  const ofTarget = [...filters, ['reference_doctype', '=', 'Organization'], ['reference_name', '=', 'acme']]
  for (const query of [page, { ...page, filters: ofTarget }]) {
    const { scans, rows } = await reads(() => t.documents.list(owner, 'Activity', query))
    expect(scans).not.toContain('Seq Scan')
    expect(rows).toBeLessThan(200)
  }
  const count = (query: object) => () => t.documents.count(owner, 'Activity', { filters, ...query })
  expect((await reads(count({ limit: 1001 }))).rows).toBeLessThan(5000)
  // Each entry once, and for each start the other entries of its job.
  expect((await reads(count({}))).rows).toBeLessThan(3 * entries)
})
