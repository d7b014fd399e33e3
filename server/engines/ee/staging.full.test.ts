import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import {
  mkdir,
  readFile,
  readdir,
  readlink,
  rm,
  rmdir,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import type { SiteSpec, StepContext } from '../engine.ts'
import type { CloneSpec } from '../site-copies.ts'
import type { PushChoice } from '../site-staging.ts'

let t: EeServer
let live: SiteSpec
let staging: CloneSpec
/** What happens on the server before its next command. */
let before: () => void = () => undefined
/** Whether email of the staging site was caught before it had the content of the site. */
let caughtFirst: boolean | undefined

const path = ({ domain }: { domain: string }, name: string) =>
  join(t.root, 'opt/easyengine/sites', domain, 'app/htdocs', name)
/** Where the server keeps states of the live site. */
const inPlace = (name: string) => join(t.root, 'var/lib/docker/volumes/liveexamplecom_htdocs/easydash-restore', name)
const write = async (site: { domain: string }, name: string, text: string) => {
  await mkdir(dirname(path(site, name)), { recursive: true })
  await writeFile(path(site, name), text)
}
const read = (site: { domain: string }, name: string) => readFile(path(site, name), 'utf8').catch(() => null)
const rename = async (site: SiteSpec | CloneSpec, title: string) => {
  const { values } = await t.engine.settings.readWordPress(site)
  await t.engine.settings.changeWordPress(site, { title }, { expected: { title: values.title } })
}
const titleOf = async (site: SiteSpec | CloneSpec) => (await t.engine.settings.readWordPress(site)).values.title
const plan = async (): Promise<PushPlan> => {
  const found: PushPlan[] = []
  const keep = async (made: PushPlan) => void found.push(made)
  await runSteps(t.engine.staging.planSteps(live, staging, keep))
  return found[0] as PushPlan
}
const choose = (made: PushPlan, changes: Partial<PushChoice> = {}): PushChoice => ({
  ...{ files: true, database: true, take: [], takeAll: [] },
  digests: { files: made.files.digest, database: made.database?.digest ?? null },
  ...changes,
})
const runAs = (operation: string, steps: Parameters<typeof runSteps>[0]) => runSteps(steps, undefined, operation)

beforeAll(async () => {
  t = await startEeServer(null, () => {
    before()
    return null
  })
  live = eeSpec(t.server, { id: 'livesite01', domain: 'live.example.com', title: 'Live' })
  await runSteps(t.engine.createSteps(live))
  await write(live, 'wp-content/uploads/old/file.txt', 'before')
  const httpAuth = { user: 'preview', password: 'Secret0123456789' }
  staging = { ...live, id: 'stagesite1', domain: 'staging.live.example.com', title: null, staging: { httpAuth } }
  const steps = t.engine.copies.cloneSteps(live, staging).map((step) => ({
    ...step,
    async run(own: StepContext) {
      if (step.key === 'send') caughtFirst = (await t.engine.services.read(staging)).mailCatcher
      return step.run(own)
    },
  }))
  await runSteps(steps)
}, 400_000)
afterAll(() => t?.end())

test('a push brings what staging changed, keeps what is new on the site, and can be rolled back', async () => {
  expect(caughtFirst).toBe(true)
  expect(await t.engine.services.read(staging)).toMatchObject({ mailCatcher: true })
  expect(await t.engine.services.read(live)).toMatchObject({ mailCatcher: false })
  const odd = 'wp-content/uploads/-odd %s $(x) näme.txt'
  await write(staging, odd, 'of staging')
  await rm(path(staging, 'wp-content/uploads/old/file.txt'))
  await rename(staging, 'Of staging')
  await write(live, 'wp-content/uploads/new.txt', 'new on the site')
  await symlink('/etc/hostname', path(live, 'wp-content/link'))
  const first = await plan()
  expect(first.files).toMatchObject({
    staging: { added: 1, changed: 0, deleted: 1 },
    live: { added: 1, changed: 0, deleted: 0 },
    total: 0,
  })
  expect(first.database?.kinds.filter(({ staging: { changed } }) => changed > 0).map(({ kind }) => kind)).toEqual([
    'options',
  ])
  expect(first.database?.clashes).toEqual([])
  await rename(live, 'Of the site')
  const made = await plan()
  expect(made.database?.clashes).toMatchObject([{ kind: 'database' }])

  // Undecided, the content stays as it is.
  await runAs('files', t.engine.staging.pushSteps(live, staging, choose(made)))
  await t.engine.staging.finish(live)
  const seen = async () => [
    await titleOf(live),
    await read(live, odd),
    await read(live, 'wp-content/uploads/new.txt'),
    await read(live, 'wp-content/uploads/old/file.txt'),
    (await readdir(path(live, 'wp-content/uploads'))).includes('old'),
  ]
  expect(await seen()).toEqual(['Of the site', 'of staging', 'new on the site', null, false])
  expect(await readlink(path(live, 'wp-content/link'))).toBe('/etc/hostname')

  // A backup has no say in what a push kept.
  await expect(runAs('other', t.engine.restores.bringBackSteps(live))).rejects.toMatchObject({ code: 'conflict' })
  await runAs('back', t.engine.staging.rollBackSteps(live))
  await t.engine.staging.finish(live)
  expect(await seen()).toEqual(['Of the site', null, 'new on the site', 'before', true])

  const all = choose(await plan(), { takeAll: ['database'] })
  await runAs('all', t.engine.staging.pushSteps(live, staging, all))
  await t.engine.staging.finish(live)
  expect(await seen()).toEqual(['Of staging', 'of staging', 'new on the site', null, false])
  const { status, body } = await t.engine.request(live, '/')
  expect([status, body.includes(staging.domain)]).toEqual([200, false])
  expect((await t.engine.settings.readWordPress(live)).values.search_engines).toBe(1)
  expect(await titleOf(staging)).toBe('Of staging')
  expect(await t.engine.staging.read(live)).toMatchObject({ changing: false, kept: { at: expect.any(Number) } })

  // What cannot be remembered takes nothing back.
  const remember = () => runAs('all', t.engine.staging.rememberSteps?.(live, staging) ?? [])
  const inTheWay = inPlace('before/pushed.new')
  await mkdir(inTheWay)
  expect(await remember()).toEqual([expect.stringContaining('could not be remembered')])
  await expect(t.engine.staging.changesSincePush(live)).rejects.toMatchObject({ code: 'unavailable' })
  await rmdir(inTheWay)
  expect(await remember()).toEqual([])
  expect(await t.engine.staging.changesSincePush(live)).toMatchObject({ files: { added: 0 }, kinds: [] })
  expect(await seen()).toEqual(['Of staging', 'of staging', 'new on the site', null, false])

  // The next comparison begins there: what only the site has is neither removed by staging nor a clash.
  await rename(live, 'Since the push')
  const none = { added: 0, changed: 0, deleted: 0 }
  const next = await plan()
  expect(next.files).toMatchObject({ staging: none, live: { ...none, added: 1 }, total: 0 })
  expect(next.database?.clashes).toEqual([])
  for (const kind of next.database?.kinds ?? [])
    expect(kind).toMatchObject({ staging: none, live: { ...none, changed: kind.kind === 'options' ? 1 : 0 } })
  await rename(staging, 'Also on staging')
  expect((await plan()).database?.clashes).toMatchObject([{ kind: 'database' }])
  // After a roll back, everything is to be pushed again.
  await runAs('back', t.engine.staging.rollBackSteps(live))
  await t.engine.staging.finish(live)
  expect((await plan()).files.staging).toMatchObject({ added: 1, deleted: 1 })
  expect(await t.violations()).toEqual([])
}, 400_000)

test('a link of the site leads no file of staging out of it, and what failed is taken back', async () => {
  const elsewhere = join(t.root, 'elsewhere')
  await mkdir(elsewhere)
  await symlink(elsewhere, path(live, 'wp-content/trap'))
  await write(staging, 'wp-content/trap/file.php', 'of staging')
  const made = await plan()
  const steps = () => t.engine.staging.pushSteps(live, staging, choose(made))
  await expect(runAs('trap', steps())).rejects.toMatchObject({
    message: expect.stringContaining('wp-content/trap/file.php') as string,
  })
  expect((await answer()).status).toBe(503)
  expect(await t.engine.staging.read(live)).toMatchObject({ changing: true })
  expect(await t.engine.staging.undo(live, 'trap')).toBe('undone')
  expect((await answer()).status).toBe(200)
  expect(await readdir(elsewhere)).toEqual([])
  expect(await readlink(path(live, 'wp-content/trap'))).toBe(elsewhere)
}, 400_000)

test('views and triggers of the staging site become those of the site’s own account', async () => {
  const folder = join(t.root, 'var/lib/simulated/databases')
  const [name = ''] = (await readdir(folder)).filter((one) => one.includes(staging.id))
  const state = JSON.parse(await readFile(join(folder, name), 'utf8')) as { tables?: Record<string, string> }
  const view = '/*!50013 DEFINER=`stagesite1`@`%` SQL SECURITY DEFINER */'
  await writeFile(join(folder, name), JSON.stringify({ ...state, tables: { wp_view: view } }))
  const choice = choose(await plan(), { files: false, takeAll: ['database'] })
  await runAs('view', t.engine.staging.pushSteps(live, staging, choice).slice(0, 2))
  const dump = gunzipSync(await readFile(inPlace('next/database.sql.gz'))).toString()
  expect(dump.split('\n').filter((line) => line.startsWith('/*!50013'))).toEqual(['/*!50013  SQL SECURITY DEFINER */'])
  await t.engine.staging.undo(live, 'view')
  await writeFile(join(folder, name), JSON.stringify(state))
}, 400_000)

test('the last step of a new staging site can be repeated', async () => {
  const mark = join(t.root, 'var/lib/easydash/sites', staging.domain)
  expect(await readFile(mark, 'utf8')).toContain('live')
  // As if it had been killed right before it wrote this.
  await writeFile(mark, `${staging.id} new\n`)
  await runSteps(t.engine.copies.cloneSteps(live, staging).filter(({ key }) => key === 'settle'))
  expect(await readFile(mark, 'utf8')).toContain('live')
}, 400_000)

test('what is compared is in the way of no backup, and what a comparison left goes with its site, or after a day', async () => {
  const packed = join(t.root, 'var/lib/easydash/packed')
  const names = async () => (await readdir(packed)).toSorted()
  await mkdir(join(packed, live.id), { recursive: true })
  await mkdir(join(packed, staging.id))
  await plan()
  expect(await names()).toEqual([live.id, staging.id])
  for (const left of [`${live.id}-compare-old`, `${live.id}-compare-new`]) await mkdir(join(packed, left))
  const old = new Date(Date.now() - 2 * 86_400_000)
  await utimes(join(packed, `${live.id}-compare-old`), old, old)
  await t.engine.host.sweepKept?.(t.server)
  expect(await names()).toEqual([live.id, `${live.id}-compare-new`, staging.id])
  const gone = await t.create()
  for (const id of [gone.id, `${gone.id}-compare-new`]) await mkdir(join(packed, id))
  await t.engine.destroy(gone)
  expect(await names()).toEqual([live.id, `${live.id}-compare-new`, staging.id])
  await rm(packed, { recursive: true })
}, 400_000)

test.each(['a folder that became a link', 'a file that has other content'])(
  '%s of the staging site since it was compared is refused',
  async (what) => {
    const [folder, secret] = [path(staging, 'wp-content/fresh/deep'), join(t.root, 'secret')]
    await rm(path(staging, 'wp-content/trap'), { recursive: true, force: true })
    await rm(path(staging, 'wp-content/fresh'), { recursive: true, force: true })
    await write(staging, 'wp-content/fresh/deep/file.txt', 'of staging')
    await mkdir(secret, { recursive: true })
    await writeFile(join(secret, 'file.txt'), 'of the server')
    const made = await plan()
    let changed = false
    before = () => {
      const chosen = inPlace('next/remove')
      if (changed || !existsSync(chosen)) return
      changed = true
      if (what.startsWith('a file')) return writeFileSync(join(folder, 'file.txt'), 'other')
      rmSync(folder, { recursive: true })
      symlinkSync(secret, folder)
    }
    const steps = t.engine.staging.pushSteps(live, staging, choose(made, { database: false }))
    await expect(runAs(`changed-${what.length}`, steps)).rejects.toMatchObject({
      message: expect.stringContaining('changed since they were compared') as string,
    })
    before = () => undefined
    expect(changed).toBe(true)
    await t.engine.staging.undo(live, `changed-${what.length}`)
    expect(await read(live, 'wp-content/fresh/deep/file.txt')).toBeNull()
  },
  400_000,
)

test('brings no more of the staging site than there is room for', async () => {
  const [disk, large] = [join(t.root, 'etc/disk'), path(staging, 'wp-content/large')]
  const room = await readFile(disk, 'utf8')
  await writeFile(large, '')
  await truncate(large, 40_000_000)
  const made = await plan()
  await writeFile(disk, `41943040 0 ${524_288 + 30_720} 50%`)
  const steps = t.engine.staging.pushSteps(live, staging, choose(made, { database: false }))
  await expect(runAs('large', steps)).rejects.toMatchObject({ code: 'unavailable' })
  expect((await stat(inPlace('next/taken/wp-content/large'))).size).toBeLessThan(32_000_000)
  await writeFile(disk, room)
  await t.engine.staging.undo(live, 'large')
  await rm(large)
}, 400_000)

const answer = () => t.engine.request(live, '/')
