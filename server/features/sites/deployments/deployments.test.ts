import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { RawRequest } from '#server/contracts/raw-route.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createProviders } from '#server/providers/providers.ts'
import type { PushedFiles } from '#server/providers/simulator/git-repositories.ts'
import { simulatedGitHub } from '#server/providers/simulator/simulated-github.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import { DeploymentDoctype } from '#shared/doctypes/deployment.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { untilEnded } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { startDue } from './due-deployments.ts'
import { pushRoute } from './push-webhook.ts'

const secret = 'webhook-secret'
const repository = 'acme/site'
const github = simulatedGitHub({ tokens: { token: 'full' }, webhookSecret: secret })

let t: TestSites
let vendor: VendorServer
let site: Site
/** Files of the site before. */
let number = 0

beforeAll(async () => {
  vendor = await serveVendor((request) => github.respond(request, null))
  t = await openTestSites()
  const config = loadConfig({ GITHUB_API_URL: vendor.url }, '/nowhere')
  const providers = createProviders(config, { clock: { now: Date.now, sleep: async () => undefined, random: () => 0 } })
  t.deps.gitHubOf = async () => providers.github({ token: 'token' })
  await t.deps.documents().transaction(systemSession(), (tx) =>
    tx.insert(ConnectionDoctype, {
      ...{ organization: 'acme', kind: 'GitHub', label: 'GitHub', is_default: 1 },
      ...{ bot_github_token: 'token', github_webhook_secret: secret },
    }),
  )
})
afterAll(async () => {
  await t?.close()
  await vendor?.close()
})
beforeEach(async () => {
  github.archive = null
  number += 1
  site = await t.live(`site-${number}`)
})

const push = async (files: PushedFiles, branch = `branch-${number}`) =>
  (await github.push({ repository, branch, files, author: 'Ann', message: 'A change' })).commit.sha

const connect = (more: Record<string, unknown> = {}) =>
  t.act(site.name, 'connect_repository', { repository, branch: `branch-${number}`, ...more })

const deploy = async (args: Record<string, unknown> = {}) => t.end(await t.act(site.name, 'deploy', args))

const text = async (path: string) => {
  const read = await rejectionOrValue(t.act(site.name, 'read_file', { path }))
  return read === null ? null : read['content']
}
const rejectionOrValue = (read: Promise<Record<string, unknown> | null>) => read.catch(() => null)

const siteNow = async () => (await t.siteNow(site.name)) as Site

/** The newest first. */
const deployments = () =>
  t.deps
    .documents()
    .transaction(systemSession(), (tx) =>
      tx.list(DeploymentDoctype, [['site', '=', site.name]], { order_by: 'creation desc' }),
    )

/** Connects and deploys two files. */
async function deployed(files: PushedFiles = { 'plugins/own/own.php': '<?php // 1', 'themes/t/style.css': 'a' }) {
  const commit = await push(files)
  await connect()
  expect(await deploy()).toMatchObject({ status: 'Done' })
  return commit
}

const stepsOf = (job: Job) => job.steps?.map(({ key, status }) => [key, status])

test('the first deployment puts all files, the next one only what changed, and removes what is gone', async () => {
  const first = await push({
    'plugins/own/own.php': '<?php // 1',
    'plugins/own/old.php': '<?php // old',
    'themes/t/style.css': 'a',
    '.github/workflows/build.yml': 'on: push',
  })
  await connect()
  expect(await siteNow()).toMatchObject({ repository, repo_path: 'wp-content', deployed_commit: null })
  expect(await deploy()).toMatchObject({ status: 'Done' })
  expect(await text('wp-content/plugins/own/own.php')).toBe('<?php // 1')
  expect(await text('wp-content/.github/workflows/build.yml')).toBe(null)
  expect(await siteNow()).toMatchObject({ status: 'Live', deployed_commit: first, locked_by_job: null })
  expect((await deployments())[0]).toMatchObject({
    ...{ status: 'Done', commit: first, author: 'Ann', message: 'A change', files_changed: 3, removes: null },
  })
  // What somebody changed by hand stays, as long as the repository does not change it.
  await t.act(site.name, 'write_file', { path: 'wp-content/themes/t/new.css', content: 'x' })
  const second = await push({ 'plugins/own/own.php': '<?php // 2', 'plugins/own/old.php': null })
  expect(await deploy()).toMatchObject({ status: 'Done' })
  expect(await text('wp-content/plugins/own/own.php')).toBe('<?php // 2')
  expect(await text('wp-content/plugins/own/old.php')).toBe(null)
  expect(await text('wp-content/themes/t/new.css')).toBe('x')
  expect((await deployments())[0]).toMatchObject({ commit: second, files_changed: 2 })
  const [removed] = (await t.act(site.name, 'list_trash')) as unknown as { paths: string[] }[]
  expect(removed?.paths).toEqual(['wp-content/plugins/own/old.php'])
})

test('with a site that fails then, everything is as it was', async () => {
  const first = await deployed({ 'a.php': 'a 1', 'b.php': 'b', 'c.php': 'c' })
  await push({ 'a.php': 'a 2', 'b.php': null, 'd/d.php': 'd' })
  const request = t.engine.request.bind(t.engine)
  const broken = { headers: {}, ttfbMs: 1, tookMs: 1, status: 500, body: 'Fatal error' }
  const visits = vi.spyOn(t.engine, 'request').mockImplementation(async (...given) => {
    return (await text('wp-content/a.php')) === 'a 2' ? broken : request(...given)
  })
  const job = await deploy()
  expect(job).toMatchObject({ status: 'Failed', next_action: expect.stringContaining('Nothing was deployed') })
  visits.mockRestore()
  expect(await Promise.all(['a', 'b', 'c', 'd/d'].map((name) => text(`wp-content/${name}.php`)))).toEqual([
    ...['a 1', 'b', 'c'],
    null,
  ])
  expect(await t.act(site.name, 'list_trash')).toEqual([])
  expect(await siteNow()).toMatchObject({ status: 'Live', deployed_commit: first })
  expect((await deployments())[0]).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('500') })
  await t.running.documents.runAction(t.owner, 'Job', job.name, 'retry', {})
  expect(await untilEnded(t.running.documents, job.name)).toMatchObject({ status: 'Done' })
  expect(await text('wp-content/b.php')).toBe(null)
  expect(await text('wp-content/d/d.php')).toBe('d')
})

test('what was put and removed before a deployment lost its server, or was canceled, is taken back', async () => {
  const first = await deployed({ 'a.php': 'a 1', 'b.php': 'b' })
  await push({ 'a.php': 'a 2', 'b.php': null })
  const { unpack } = t.engine.files
  const then = (next: (job: string) => Promise<unknown>) =>
    vi.spyOn(t.engine.files, 'unpack').mockImplementationOnce(async (...given) => {
      const unpacked = await unpack(...given)
      expect(await Promise.all(['a', 'b'].map((name) => text(`wp-content/${name}.php`)))).toEqual(['a 2', null])
      await next(String(given[2].operationId))
      return unpacked
    })
  const cancel = (job: string) => t.running.documents.runAction(t.owner, 'Job', job, 'cancel', {})
  for (const [next, status] of [
    [() => Promise.reject(new Error('lost')), 'Failed'],
    [cancel, 'Cancelled'],
  ] as const) {
    then(next)
    expect(await deploy()).toMatchObject({ status })
    expect(await Promise.all(['a', 'b'].map((name) => text(`wp-content/${name}.php`)))).toEqual(['a 1', 'b'])
    expect(await t.act(site.name, 'list_trash')).toEqual([])
    expect(await siteNow()).toMatchObject({ status: 'Live', deployed_commit: first, locked_by_job: null })
    expect((await deployments())[0]).toMatchObject({ status, removes: null })
  }
})

test('a rollback deploys the commit of an earlier deployment, with the files that were removed since', async () => {
  const first = await deployed({ 'a.php': 'a 1', 'b.php': 'b' })
  await push({ 'a.php': 'a 2', 'b.php': null, 'c.php': 'c' })
  await deploy()
  const [last, earlier] = await deployments()
  expect(await t.end(await t.act(site.name, 'roll_back', { deployment: earlier?.name }))).toMatchObject({
    status: 'Done',
  })
  expect(await Promise.all(['a', 'b', 'c'].map((name) => text(`wp-content/${name}.php`)))).toEqual(['a 1', 'b', null])
  expect(await siteNow()).toMatchObject({ deployed_commit: first })
  const other = await t.live('other-of-rollback')
  await t.act(other.name, 'connect_repository', { repository, branch: `branch-${number}` })
  const stranger = t.act(other.name, 'roll_back', { deployment: last?.name })
  expect(await rejectionOf(stranger)).toMatchObject({ code: 'invalid' })
})

test('what was changed by hand is as in the repository once the same commit is deployed again', async () => {
  const commit = await deployed({ 'a.php': 'a' })
  await t.act(site.name, 'delete_files', { paths: ['wp-content/a.php'] })
  expect(await deploy({ commit })).toMatchObject({ status: 'Done' })
  expect(await text('wp-content/a.php')).toBe('a')
})

test('after a restore, all files are put again, and none is removed', async () => {
  await deployed({ 'a.php': 'a', 'b.php': 'b' })
  await t.end(await t.act(site.name, 'backup'))
  const { documents } = t.running
  const fields = ['name', 'locked_by_job']
  const [backup] = await documents.list(t.owner, 'Site Backup', { fields, filters: { site: site.name } })
  // Its proof.
  if (backup?.['locked_by_job']) await untilEnded(documents, String(backup['locked_by_job']))
  const args = { what: 'all', backup_first: 0, confirm_name: site.domain }
  const restored = await documents.runAction(t.owner, 'Site Backup', String(backup?.['name']), 'restore', args)
  expect((await t.end(restored as object)).error_message).toBe(null)
  expect(await siteNow()).toMatchObject({ deployed_commit: null })
  const commit = await push({ 'c.php': 'c', 'b.php': null })
  expect(await deploy()).toMatchObject({ status: 'Done' })
  expect((await deployments())[0]).toMatchObject({ commit, files_changed: 2 })
})

test.each([
  ['a link', { link: { mode: '120000', content: Buffer.from('/etc/passwd') } }, 'link'],
  ['a submodule', { lib: { mode: '160000', content: Buffer.from('x') } }, 'submodule'],
  ['a path that leads out', { '../up.php': 'x' }, '../up.php'],
  ['the folder of Git', { 'x/.git/config': 'x' }, '.git/config'],
  ['the database of the site', { 'database/.ht.sqlite': 'x' }, 'database'],
] as const)('a repository with %s is refused, and changes nothing', async (_what, files, named) => {
  await deployed()
  await push(files as PushedFiles)
  expect(await deploy()).toMatchObject({ status: 'Failed', error_message: expect.stringContaining(named) })
  expect(await siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await text('wp-content/plugins/own/own.php')).toBe('<?php // 1')
})

test.each([
  ['leads out', [{ name: 'root/../../up.php', content: Buffer.from('x') }], 'up.php'],
  ['has a link', [{ name: 'root/a.php', content: Buffer.from('/etc'), mode: 0o120777 }], 'a.php'],
  ['is none', null, 'no archive'],
])('an archive that %s is refused, whatever the tree says', async (_what, members, named) => {
  await push({ 'a.php': 'a' })
  await connect()
  github.archive = () => (members === null ? Buffer.from('<html>') : makeZip(members))
  expect(await deploy()).toMatchObject({ status: 'Failed', error_message: expect.stringContaining(named) })
  expect(await text('wp-content/a.php')).toBe(null)
})

test('a repository is connected only if GitHub has it and its branch, and its names are names', async () => {
  await push({ 'a.php': 'a' })
  const codeOf = async (more: Record<string, unknown>) => (await rejectionOf(connect(more)))?.field
  expect(await codeOf({ repository: 'acme/../x' })).toBe('repository')
  expect(await codeOf({ branch: 'a..b' })).toBe('branch')
  expect(await codeOf({ path: '../up' })).toBe('path')
  expect((await rejectionOf(connect({ branch: 'gone' })))?.message).toContain('gone')
  expect((await rejectionOf(connect({ repository: 'acme/gone' })))?.message).toContain('acme/gone')
  expect(await siteNow()).toMatchObject({ repository: null })
  await connect({ repository: 'ACME/Site', path: '/' })
  expect(await siteNow()).toMatchObject({ repository, repo_path: null })
  await t.act(site.name, 'disconnect_repository')
  expect(await siteNow()).toMatchObject({ repository: null, repo_branch: null })
  expect(await rejectionOf(t.act(site.name, 'deploy'))).not.toBe(null)
})

const route = () => pushRoute(t.deps)
const sign = (body: string, by = secret) => `sha256=${createHmac('sha256', by).update(body).digest('hex')}`

/** Calls the webhook. Returns the status. */
async function tell(signature: string | null, told: object, kind = 'push'): Promise<number> {
  const body = JSON.stringify(told)
  const headers = {
    'x-github-event': kind,
    ...(signature !== null && { 'x-hub-signature-256': signature === 'right' ? sign(body) : signature }),
  }
  const request: RawRequest = { headers, body: Buffer.from(body), params: {}, query: '', ip: '192.0.2.1' }
  return (await route().run(request)).status
}

test('a push that is signed deploys the head of its branch once, to the sites that have it', async () => {
  await deployed()
  const told = { ref: `refs/heads/branch-${number}`, repository: { full_name: repository } }
  const second = await push({ 'plugins/own/own.php': '<?php // 2' })
  for (const signature of [null, 'sha256=', sign(JSON.stringify(told), 'other')])
    expect(await tell(signature, told)).toBe(401)
  expect(await tell('right', { ...told, repository: { full_name: 'acme/unknown' } })).toBe(401)
  expect(await tell('right', { ...told, ref: 'refs/heads/another' })).toBe(202)
  expect(await tell('right', { ...told, deleted: true })).toBe(202)
  expect(await tell(null, {}, 'ping')).toBe(200)
  expect((await siteNow()).locked_by_job).toBe(null)
  expect(await deployments()).toHaveLength(1)

  expect(await tell('right', told)).toBe(202)
  const [begun] = await deployments()
  // A second push while the first is deployed waits, and so does a third.
  await tell('right', told)
  await tell('right', told)
  expect((await untilEnded(t.running.documents, String(begun?.job))).status).toBe('Done')
  expect(await siteNow()).toMatchObject({ deployed_commit: second })
  await startDue(t.deps)
  const waited = (await deployments()).find(({ name, status }) => name !== begun?.name && status !== 'Done')
  const again = await untilEnded(t.running.documents, String(waited?.job))
  expect(again).toMatchObject({ status: 'Done', outcome: expect.stringContaining('deployed already') })
  expect(stepsOf(again)).toContainEqual(['put', 'Skipped'])
  expect(await deployments()).toMatchObject([{ name: begun?.name, pushed: 1, job: begun?.job }, { pushed: 0 }])
  await startDue(t.deps)
  expect(await siteNow()).toMatchObject({ deploy_due: null, locked_by_job: null })
})

test('a push at the simulated GitHub comes here as GitHub would tell of it', async () => {
  await deployed()
  const receiver = await serveVendor(async ({ headers, raw = Buffer.alloc(0) }) => {
    const { status } = await route().run({ headers, body: raw, params: {}, query: '', ip: '192.0.2.1' })
    return { status, body: {} }
  })
  github.webhook = `${receiver.url}/webhooks/github`
  const asked = { repository, branch: `branch-${number}`, files: { 'plugins/own/own.php': '<?php // pushed' } }
  const answer = await fetch(`${vendor.url}/_simulator/push`, { method: 'POST', body: JSON.stringify(asked) })
  github.webhook = null
  await receiver.close()
  const { commit, delivered } = (await answer.json()) as { commit: string; delivered: number }
  expect(delivered).toBe(202)
  await untilEnded(t.running.documents, String((await deployments())[0]?.job))
  expect(await siteNow()).toMatchObject({ deployed_commit: commit })
  expect(await text('wp-content/plugins/own/own.php')).toBe('<?php // pushed')
})

test('the deployments of a site go with it', async () => {
  await deployed()
  expect(await deployments()).toHaveLength(1)
  await t.deps.documents().transaction(systemSession(), (tx) => tx.delete(SiteDoctype, site.name))
  expect(await deployments()).toEqual([])
})

test('a push to a site that cannot be deployed to is told of once', async () => {
  await deployed()
  await t.deps
    .documents()
    .transaction(systemSession(), (tx) =>
      tx.update(SiteDoctype, site.name, { status: 'Suspended' }, { hooks: false, activity: false }),
    )
  await tell('right', { ref: `refs/heads/branch-${number}`, repository: { full_name: repository } })
  await startDue(t.deps)
  expect((await deployments()).map(({ status, error_message: said }) => [status, said])).toEqual([
    ['Failed', expect.stringContaining('Suspended')],
    ['Done', null],
  ])
})
