import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { pageBreakingPlugin } from '#server/engines/fake/fake-wordpress-state.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'
import { readFacts, writeFacts } from './facts-table.ts'

let t: TestSites
let site: Site
let folder: string
let uploaded = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'uploads-'))
  t = await openTestSites()
  site = await t.live('packages')
})
afterAll(async () => {
  await t?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Sends a file as the upload does when it is complete. */
async function upload(content: string, session: Session = t.owner, to = site.name) {
  uploaded += 1
  const id = String(uploaded).padStart(32, '0')
  const path = join(folder, id)
  await writeFile(path, content)
  const kind = t.uploads.find(({ name }) => name === 'wordpress_package')
  const sent = { id, kind: 'wordpress_package', fileName: 'a.zip', size: 1, metadata: { site: to } }
  await kind?.check(session, sent)
  return kind?.finish(session, sent, path)
}
const plugin = async (id: string) => {
  const { facts } = (await t.act(site.name, 'inspect_wordpress')) as unknown as { facts: WordPressFacts }
  return facts.plugins.find((one) => one.id === id)
}
const install = async (id: unknown, replace: 0 | 1 = 0) => t.act(site.name, 'install_package', { package: id, replace })

test('an uploaded plugin says what it is, and is installed when told', async () => {
  const staged = await upload('plugin tool 1.0')
  expect(staged).toMatchObject({ type: 'plugin', name: 'tool', version: '1.0', installed: null })
  expect(await plugin('tool/tool.php')).toBeUndefined()
  const job = await t.end(await install(staged?.['package']))
  expect(job).toMatchObject({ status: 'Done', label: "Install tool 1.0 on Ann's & Bob" })
  expect(await plugin('tool/tool.php')).toMatchObject({ version: '1.0', active: false })
})

test('an installed version is replaced only when told, and can be rolled back to', async () => {
  const staged = await upload('plugin tool 2.0')
  expect(staged).toMatchObject({ version: '2.0', installed: '1.0' })
  expect(await rejectionOf(install(staged?.['package']))).toMatchObject({ code: 'conflict' })
  await t.end(await install(staged?.['package'], 1))
  expect(await plugin('tool/tool.php')).toMatchObject({ version: '2.0', previous: '1.0' })
  await t.end(await t.act(site.name, 'set_plugin', { plugin: 'tool/tool.php', do: 'rollback' }))
  expect(await plugin('tool/tool.php')).toMatchObject({ version: '1.0', previous: '2.0' })
})

test('a version with which the homepage fails is taken back', async () => {
  const name = pageBreakingPlugin.split('/')[0] ?? ''
  await t.engine.wordpress.change(siteRef(site, thisMachine), { kind: 'activate_plugin', plugin: pageBreakingPlugin })
  const staged = await upload(`plugin ${name} 9.0`)
  expect(await t.end(await install(staged?.['package'], 1))).toMatchObject({ status: 'Failed' })
  expect(await plugin(pageBreakingPlugin)).toMatchObject({ version: '1.0' })
  await t.engine.wordpress.change(siteRef(site, thisMachine), { kind: 'deactivate_plugin', plugin: pageBreakingPlugin })
})

test('what is refused, discarded or of another site is not installed', async () => {
  expect(await rejectionOf(upload('no package'))).toMatchObject({ code: 'invalid' })
  const discarded = await upload('theme look 1.0')
  expect(discarded).toMatchObject({ type: 'theme' })
  await t.act(site.name, 'discard_package', { package: discarded?.['package'] })
  const other = await t.live('other-packages')
  const elsewhere = await upload('plugin tool 3.0', t.owner, other.name)
  for (const id of [discarded?.['package'], elsewhere?.['package'], '../../x'])
    expect(await rejectionOf(install(id, 1))).toMatchObject({ code: 'not_found' })
})

test('nobody names an upload of somebody else, and only those who may change the site upload', async () => {
  expect(await rejectionOf(t.act(site.name, 'stage_package', { upload: '/etc/passwd' }))).toMatchObject({
    code: 'not_found',
  })
  expect(await rejectionOf(upload('plugin tool 3.0', sessionOf('nobody@acme.example', 'acme')))).not.toBeNull()
})

/** Installs plugins, and makes WordPress know of a newer version of each. */
async function outdate(name: string, plugins: readonly string[]): Promise<void> {
  for (const one of plugins) {
    const staged = await upload(`plugin ${one} 1.0`, t.owner, name)
    await t.end(await t.act(name, 'install_package', { package: staged?.['package'] }))
  }
  const { facts } = (await t.act(name, 'inspect_wordpress')) as unknown as { facts: WordPressFacts }
  for (const one of facts.plugins) one.update = plugins.includes(one.name) ? '2.0' : null
  await t.running.documents.transaction(systemSession(), (tx) =>
    writeFacts(tx, name, facts, '2026-11-24 12:00:00.000000'),
  )
}
const versionsOf = async (name: string) => {
  const { facts } = (await t.act(name, 'inspect_wordpress')) as unknown as { facts: WordPressFacts }
  return Object.fromEntries(facts.plugins.map((one) => [one.name, one.version]))
}

test('all plugins with a newer version are updated by one job', async () => {
  const { name } = await t.live('update-all')
  await outdate(name, ['first', 'second'])
  const job = await t.end(await t.act(name, 'update_plugins'))
  expect(job).toMatchObject({ status: 'Done', label: "Update 2 plugins on Ann's & Bob" })
  expect(await versionsOf(name)).toMatchObject({ first: '2.0', second: '2.0' })
  expect(await rejectionOf(t.act(name, 'update_plugins')), 'all are new').toMatchObject({ code: 'invalid' })
  expect(await rejectionOf(t.act(name, 'update_themes'))).toMatchObject({ code: 'invalid' })
})

test.each([
  ['', false],
  [' also after a backup,', true],
])(
  'an update that breaks the site is undone and ends the job,%s those before it stay, and a retry does the rest',
  async (_when, isBackedUp) => {
    const { name } = await t.live(isBackedUp ? 'saved-breaks' : 'update-breaks')
    if (isBackedUp) await t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', site: name })
    await outdate(name, ['first', 'second', 'third'])
    const ok = { status: 200, body: 'ok' }
    const broken = { status: 500, body: '' }
    // One before them.
    t.engine.answers.push(ok, ok, ok, broken, broken)
    const { job } = (await t.act(name, 'update_plugins')) as { job: string }
    expect(await t.end({ job })).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/status 500/) })
    expect(await t.siteNow(name)).toMatchObject({ status: 'Live', locked_by_job: null })
    expect(await versionsOf(name)).toMatchObject({ first: '2.0', second: '1.0', third: '1.0' })
    await t.running.documents.runAction(t.owner, 'Job', job, 'retry', {})
    expect(await t.end({ job })).toMatchObject({ status: 'Done' })
    expect(await versionsOf(name)).toMatchObject({ first: '2.0', second: '2.0', third: '2.0' })
  },
)

test('updates that begin with a backup go on after it in a retry, and need no second one for what stayed', async () => {
  const { name } = await t.live('update-saved')
  await t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', site: name })
  await outdate(name, ['first', 'second'])
  const { install } = t.engine.packages
  const failing = vi
    .spyOn(t.engine.packages, 'install')
    .mockImplementation((site, type, from, options) =>
      'slug' in from && from.slug === 'second'
        ? Promise.reject(new Error('The download broke'))
        : install(site, type, from, options),
    )
  const { job } = (await t.act(name, 'update_plugins')) as { job: string }
  expect(await t.end({ job })).toMatchObject({ status: 'Failed' })
  expect(await versionsOf(name)).toMatchObject({ first: '2.0', second: '1.0' })
  failing.mockRestore()
  await t.running.documents.runAction(t.owner, 'Job', job, 'retry', {})
  expect(await t.end({ job })).toMatchObject({ status: 'Done', error_message: null })
  expect(await versionsOf(name)).toMatchObject({ first: '2.0', second: '2.0' })
  const made = await t.running.documents.transaction(systemSession(), (tx) =>
    tx.list(SiteBackupDoctype, [['site', '=', name]]),
  )
  expect(made).toMatchObject([{ kind: 'before a change', status: 'Ready' }])
})

test('updates whose backup fails begin with another one in a retry', async () => {
  const { name } = await t.live('update-unsaved')
  await t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', site: name })
  await outdate(name, ['first'])
  vi.spyOn(t.engine.backups, 'packed').mockRejectedValueOnce(new Error('The disk broke'))
  const { job } = (await t.act(name, 'update_plugins')) as { job: string }
  expect(await t.end({ job })).toMatchObject({ status: 'Failed' })
  expect(await versionsOf(name)).toMatchObject({ first: '1.0' })
  await t.running.documents.runAction(t.owner, 'Job', job, 'retry', {})
  expect(await t.end({ job })).toMatchObject({ status: 'Done', error_message: null })
  expect(await versionsOf(name)).toMatchObject({ first: '2.0' })
  const made = await t.running.documents.transaction(systemSession(), (tx) =>
    tx.list(SiteBackupDoctype, [['site', '=', name]], { order_by: 'creation' }),
  )
  expect(made).toMatchObject([{ status: 'Failed' }, { status: 'Ready', error_message: null }])
})

test('what wordpress.org does not have is not updated from there', async () => {
  const { name } = await t.live('update-own')
  await outdate(name, ['Own_Plugin'])
  expect(await rejectionOf(t.act(name, 'update_plugins'))).toMatchObject({ code: 'unsupported' })
})

test('what one job does not update is named with the reason and what to do', async () => {
  const { name } = await t.live('update-many')
  await outdate(name, ['first', 'Own_Plugin'])
  await t.running.documents.transaction(systemSession(), async (tx) => {
    const { facts } = await readFacts(tx, name)
    const [own] = facts?.plugins.filter(({ update }) => update !== null) ?? []
    if (!facts || !own) throw new Error('No plugin is outdated')
    const more = Array.from({ length: 50 }, (_, at) => ({ ...own, id: `p${at}/p${at}.php`, name: `p${at}` }))
    await writeFacts(tx, name, { ...facts, plugins: [...facts.plugins, ...more] }, '2026-11-24 12:00:00.000000')
  })
  const response = await t.act(name, 'update_plugins')
  const job = await t.end(response)
  expect(job).toMatchObject({ status: 'Done', label: "Update 50 of 52 plugins on Ann's & Bob" })
  const { rows } = await t.running.documents.transaction(systemSession(), (tx) =>
    sql<{ text: string }>`select text from easydash_job_log where job = ${job.name} order by n`.execute(tx.trx),
  )
  expect(rows.map(({ text }) => text).filter((line) => line.includes('not updated'))).toEqual([
    'Own_Plugin is not updated: it is not from wordpress.org. Upload its new version as a ZIP file.',
    'p49 is not updated: a run updates at most 50. Run the update again.',
  ])
})

test('the original files of an installed plugin are put back by a job, and of nothing else', async () => {
  const { name } = await t.live('put-back')
  const staged = await upload('plugin tool 1.0', t.owner, name)
  await t.end(await t.act(name, 'install_package', { package: staged?.['package'] }))
  t.engine.changeFile(name, 'wp-content/plugins/tool/lib/a.php')
  await t.end(await t.act(name, 'verify_checksum'))
  expect(await t.siteNow(name)).toMatchObject({ wordpress_checksum: 'Modified' })
  const job = await t.end(await t.act(name, 'restore_package', { type: 'plugin', folder: 'tool' }))
  expect(job).toMatchObject({ status: 'Done', label: "Put back the original files of tool on Ann's & Bob" })
  await t.end(await t.act(name, 'verify_checksum'))
  expect(await t.siteNow(name)).toMatchObject({ wordpress_checksum: 'Verified' })
  const other = await t.end(await t.act(name, 'restore_package', { type: 'plugin', folder: 'fatal' }))
  expect(other).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/not kept/) })
  expect(await t.siteNow(name)).toMatchObject({ status: 'Live' })
  for (const folder of ['..', '../x', 'a/b'])
    expect(await rejectionOf(t.act(name, 'restore_package', { type: 'plugin', folder }))).toMatchObject({
      code: 'invalid',
      field: 'folder',
    })
})
