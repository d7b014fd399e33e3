/** GET runs the actions of a site that change nothing: that they don't, and that those which keep what they find do. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { changesNothing } from '#shared/action-state.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { withPassword } from '#tests/support/documents.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { changedTables, storedRows } from '#tests/support/stored-rows.ts'
import { siteRef } from './engine-of.ts'

let t: TestSites
let site: Site
beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('reading')
})
afterAll(() => t?.close())

const rows = () => t.running.documents.transaction(systemSession(), (tx) => storedRows(tx.trx))
const reading = Object.entries(SiteDoctype.actions ?? {}).filter(([, action]) => action.reads)
const namesOf = (isNothing: boolean) =>
  reading.filter(([, action]) => changesNothing(action) === isNothing).map(([name]) => name)
const args: Readonly<Record<string, Record<string, unknown>>> = {
  read_log: { log: 'php' },
  read_mail: { mail: 'none' },
  database_rows: { table: 'wp_posts' },
  database_cell: { table: 'wp_posts', column: 'post_title', row: '1' },
  compare_wordpress_file: { path: 'wp-includes/version.php' },
  read_file: { path: 'index.php' },
  preview_domain_change: { domain: 'elsewhere' },
}
/** Of those that find nothing at this site. */
const codes: Readonly<Record<string, string>> = {
  read_mail: 'conflict',
  push_losses: 'conflict',
  files_folder: 'unsupported',
}

test('what changes nothing changes no row', async () => {
  const before = await rows()
  for (const name of namesOf(true)) {
    const ended = t.act(site.name, name, args[name], withPassword(t.owner)).then(
      () => undefined,
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    )
    expect([name, await ended]).toEqual([name, codes[name]])
  }
  expect(changedTables(before, await rows())).toEqual([])
})

test.each(namesOf(false))('%s keeps what it finds', async (name) => {
  t.pass(60_000)
  await t.engine.certificates.change(siteRef(site, thisMachine), 'self')
  const before = await rows()
  await t.act(site.name, name)
  expect(changedTables(before, await rows())).not.toEqual([])
})
