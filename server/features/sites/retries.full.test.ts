import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { fatalPlugin } from '#server/engines/fake/fake-wordpress-state.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { thisMachine, type SiteRef } from '#server/engines/site-ref.ts'
import type { Job } from '#shared/doctypes/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from './engine-of.ts'

/** What becomes of a change whose last step fails: what the job says is what the site has. */
let t: TestSites
let folder = ''
beforeAll(async () => {
  t = await openTestSites()
  folder = await mkdtemp(join(tmpdir(), 'retries-'))
})
afterAll(async () => {
  await t?.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => {
  vi.restoreAllMocks()
})

const now = async (name: string): Promise<Site> => (await t.siteNow(name)) as Site
const refOf = async (name: string) => siteRef(await now(name), thisMachine)
const factsOf = async (name: string): Promise<Facts> => t.engine.wordpress.inspect(await refOf(name))
type Facts = {
  readonly version: string
  readonly plugins: readonly { readonly id: string; readonly active: boolean }[]
}

const zip = async (name: string): Promise<void> => {
  const source = join(folder, `${name}.zip`)
  await writeFile(source, makeZip([{ name: 'in/file.txt', content: Buffer.from('unpacked') }]))
  await t.engine.files.put(await refOf(name), 'a.zip', source, false)
}

/** A change with the last call that its job makes on the engine, and whether the site has what it was to bring. */
const changes = {
  move_to_mysql: {
    args: {},
    last: () => vi.spyOn(t.engine.databaseMoves, 'finish'),
    isMade: async (name: string) =>
      [await t.engine.databaseMoves.kind(await refOf(name)), (await now(name)).database ?? 'sqlite'].every(
        (kind) => kind === 'mysql',
      ),
  },
  change_domain: {
    args: { domain: 'renamed', old_domain: 'remove' },
    last: () => vi.spyOn(t.engine.domains, 'finishChange'),
    isMade: async (name: string) => {
      const { domain } = await t.engine.domains.read(await refOf(name))
      return domain.startsWith('renamed') && (await now(name)).domain === domain
    },
  },
  set_core: {
    args: { version: '6.7.2' },
    last: () => vi.spyOn(t.engine.core, 'finishChange'),
    isMade: async (name: string) => (await factsOf(name)).version === '6.7.2',
  },
  set_plugin: {
    args: { plugin: fatalPlugin, do: 'delete' },
    last: () => vi.spyOn(t.engine.wordpress, 'finish'),
    isMade: async (name: string) => !(await factsOf(name)).plugins.some(({ id }) => id === fatalPlugin),
  },
  unzip_file: {
    args: { path: 'a.zip', folder: 'out' },
    last: () => vi.spyOn(t.engine.files, 'finishUnpack'),
    isMade: async (name: string) =>
      (await t.engine.files.list(await refOf(name), '')).entries.some((entry) => entry.name === 'out'),
  },
} as const
const names = Object.keys(changes) as (keyof typeof changes)[]

async function begin(action: keyof typeof changes, suffix: string) {
  const { name } = await t.live(`${action.replaceAll('_', '-')}-${suffix}`)
  if (action === 'unzip_file') await zip(name)
  const { args, isMade } = changes[action]
  const given = 'domain' in args ? { ...args, domain: `${args.domain}-${suffix}` } : args
  return {
    name,
    start: async (): Promise<Job> => t.end(await t.act(name, action, given)),
    isMade: () => isMade(name),
  }
}

test.each(names)('%s that failed at its end and was taken back is made again by a retry', async (action) => {
  const { start, isMade } = await begin(action, 'again')
  const last = changes[action].last().mockRejectedValue(new Error('No room.'))
  const failed = await start()
  expect(failed.status).toBe('Failed')
  expect(await isMade()).toBe(false)
  expect(failed.steps?.filter(({ status, undone }) => status === 'Done' && undone !== true)).toEqual([])
  last.mockRestore()
  await t.running.documents.runAction(t.owner, 'Job', failed.name, 'retry', {})
  const again = await t.end({ job: failed.name })
  expect([again.status, again.error_message]).toEqual(['Done', null])
  expect(await isMade()).toBe(true)
  expect(again.steps?.some(({ undone }) => undone)).toBe(false)
})

test.each(names)('%s that failed after its end does not say that the state before is back', async (action) => {
  const { name, start, isMade } = await begin(action, 'late')
  const original = {
    move_to_mysql: t.engine.databaseMoves.finish,
    change_domain: t.engine.domains.finishChange,
    set_core: t.engine.core.finishChange,
    set_plugin: t.engine.wordpress.finish,
    unzip_file: t.engine.files.finishUnpack,
  }[action]
  changes[action].last().mockImplementation(async (site: SiteRef, more: unknown) => {
    await original(site, more as AbortSignal & string)
    throw new Error('The connection broke.')
  })
  const job = await start()
  // Of an unpack, nothing is left then that says how it ended.
  const advice =
    action === 'unzip_file'
      ? 'Look at the site: what the job was to change may be in place already.'
      : 'What the job was to change is in place: only what came after it failed.'
  expect(job).toMatchObject({ status: 'Failed', next_action: advice })
  expect(await isMade()).toBe(true)
  expect((await now(name)).status).toBe('Live')
})

test('the original files of the same version stay if only what came after they were put back failed', async () => {
  const { name } = await t.live('same-version')
  const { version } = await factsOf(name)
  const finish = t.engine.core.finishChange
  vi.spyOn(t.engine.core, 'finishChange').mockImplementation(async (site) => {
    await finish(site)
    throw new Error('The connection broke.')
  })
  const job = await t.end(await t.act(name, 'set_core', { version }))
  const advice = 'What the job was to change is in place: only what came after it failed.'
  expect(job).toMatchObject({ status: 'Failed', next_action: advice })
  expect(await now(name)).toMatchObject({ status: 'Live', wordpress_checksum: 'Not Checked' })
})

/** Changes that are taken back when the homepage fails, with the engine's call that does so and what tells whether they are made. */
const takenBack = {
  set_plugin: {
    args: { plugin: 'hello.php', do: 'activate' },
    undo: () => breakAfter(t.engine.wordpress, 'undo'),
    isMade: async (name: string) =>
      (await factsOf(name)).plugins.some(({ id, active }) => id === 'hello.php' && active),
  },
  set_php_version: {
    args: { php_version: '8.3' },
    undo: () => breakAfter(t.engine, 'setPhpVersion', '8.4'),
    isMade: async (name: string) => (await t.engine.observe(await refOf(name))).phpVersion === '8.3',
  },
  set_core: {
    args: { version: '6.7.2' },
    undo: () => breakAfter(t.engine.core, 'undoChange'),
    isMade: changes.set_core.isMade,
  },
  convert_to_network: {
    args: {},
    undo: () => breakAfter(t.engine.networks, 'undoConversion'),
    isMade: async (name: string) => t.engine.networks.isNetwork(await refOf(name)),
  },
} as const

/** Has a call of the engine fail once it has done its work; `value`: only with this second argument. */
function breakAfter<K extends string>(
  part: Record<K, (site: SiteRef, ...more: never[]) => Promise<unknown>>,
  key: K,
  value?: string,
): void {
  const original = part[key]
  part[key] = async (site, ...more) => {
    const result = await original(site, ...more)
    if (value === undefined || more[0] === value) {
      part[key] = original
      throw new Error('The connection broke.')
    }
    return result
  }
}

test.each(Object.keys(takenBack) as (keyof typeof takenBack)[])(
  '%s that was taken back, although nobody knows, is made again by a retry',
  async (action) => {
    const { name, domain } = await t.live(`${action.replaceAll('_', '-')}-lost`)
    const { args, undo, isMade } = takenBack[action]
    undo()
    t.engine.answers.push(...Array.from({ length: 40 }, () => ({ status: 500, body: 'error' })))
    const confirmed = action === 'convert_to_network' ? { confirm_name: domain } : {}
    const failed = await t.end(await t.act(name, action, { ...args, ...confirmed }))
    t.engine.answers.length = 0
    expect(failed.error_message).toMatch(/could not be put back: The connection broke\.$/)
    expect(await isMade(name)).toBe(false)
    await t.running.documents.runAction(t.owner, 'Job', failed.name, 'retry', {})
    expect(await t.end({ job: failed.name })).toMatchObject({ status: 'Done' })
    expect(await isMade(name)).toBe(true)
  },
)

test('a domain that an archived site gave up goes back to it when the change is taken back', async () => {
  const giver = await t.live('domain-giver')
  await t.act(giver.name, 'add_alias', { domain: 'given.example', mode: 'serve' })
  await t.end(await t.act(giver.name, 'archive', { confirm_name: 'domain-giver' }))
  const { aliases, usr_alias_domains } = await now(giver.name)
  const { name } = await t.live('domain-taker')
  const last = vi.spyOn(t.engine.domains, 'finishChange').mockRejectedValue(new Error('No room.'))
  const job = await t.end(await t.act(name, 'change_domain', { domain: 'given.example', old_domain: 'remove' }))
  expect(job.status).toBe('Failed')
  expect(await now(giver.name)).toMatchObject({ aliases, usr_alias_domains })
  expect((await t.engine.domains.read(await refOf(giver.name))).aliases).toEqual([
    { domain: 'given.example', mode: 'serve' },
  ])
  expect((await now(name)).domain).toBe('domain-taker')
  // A retry may have it, as the first attempt had.
  last.mockRestore()
  await t.running.documents.runAction(t.owner, 'Job', job.name, 'retry', {})
  expect(await t.end({ job: job.name })).toMatchObject({ status: 'Done', error_message: null })
  expect((await now(name)).domain).toBe('given.example')
})

test('a change of a site whose page fails anyway does not make it look as if the page worked', async () => {
  const { name } = await t.live('fails-anyway')
  t.engine.answers.push(...Array.from({ length: 40 }, () => ({ status: 500, body: 'error' })))
  const job = await t.end(await t.act(name, 'set_limits', { memory_mb: '128', upload_mb: '8' }))
  t.engine.answers.length = 0
  expect(job.status).toBe('Done')
  expect(await now(name)).toMatchObject({
    status: 'Live',
    health: 'Down',
    failure_reason: expect.stringContaining('500'),
  })
})

test('a retry of a change of settings leaves others as they were set meanwhile', async () => {
  const { name } = await t.live('settings-again')
  const change = vi.spyOn(t.engine.settings, 'change').mockRejectedValueOnce(new Error('No room.'))
  const failed = await t.end(await t.act(name, 'set_limits', { memory_mb: '128', upload_mb: '8' }))
  change.mockRestore()
  expect(failed.status).toBe('Failed')
  const protect = await t.act(name, 'set_protection', { protection: 'no_uploads_php', enabled: 1 })
  expect((await t.end(protect)).status).toBe('Done')
  await t.running.documents.runAction(t.owner, 'Job', failed.name, 'retry', {})
  expect((await t.end({ job: failed.name })).status).toBe('Done')
  const { protections, memoryMb } = await t.engine.settings.read(await refOf(name))
  expect([protections, memoryMb]).toEqual([['no_uploads_php'], 128])
})

test('a retry that gets a domain from an archived site gives it back when it is taken back', async () => {
  const { name } = await t.live('retry-taker')
  const last = vi.spyOn(t.engine.domains, 'finishChange').mockRejectedValue(new Error('No room.'))
  const job = await t.end(await t.act(name, 'change_domain', { domain: 'later.example', old_domain: 'remove' }))
  const giver = await t.live('retry-giver')
  await t.act(giver.name, 'add_alias', { domain: 'later.example', mode: 'serve' })
  await t.end(await t.act(giver.name, 'archive', { confirm_name: 'retry-giver' }))
  const { aliases } = await now(giver.name)
  for (const ends of ['Failed', 'Done']) {
    if (ends === 'Done') last.mockRestore()
    await t.running.documents.runAction(t.owner, 'Job', job.name, 'retry', {})
    expect(await t.end({ job: job.name })).toMatchObject({ status: ends })
    if (ends === 'Failed') expect(await now(giver.name)).toMatchObject({ aliases })
  }
  expect((await now(name)).domain).toBe('later.example')
})

test('a pack that is retried after the site was archived leaves it archived', async () => {
  const { name, domain } = await t.live('packed-late')
  const pack = vi.spyOn(t.engine.files, 'packInto').mockRejectedValue(new Error('No room.'))
  const job = await t.end(await t.act(name, 'zip_files', { paths: ['index.php'], to: 'a.zip' }))
  expect(job.status).toBe('Failed')
  pack.mockRestore()
  await t.end(await t.act(name, 'archive', { confirm_name: domain }))
  await expect(t.running.documents.runAction(t.owner, 'Job', job.name, 'retry', {})).rejects.toMatchObject({
    code: 'invalid',
  })
  expect((await now(name)).status).toBe('Archived')
})

test('a deletion that removed nothing leaves the archive, and can be retried', async () => {
  const { name, domain } = await t.live('kept-archive')
  await t.end(await t.act(name, 'archive', { confirm_name: domain }))
  const destroy = vi.spyOn(t.engine, 'destroy').mockRejectedValue(new Error('The database does not answer.'))
  const job = await t.end(await t.act(name, 'delete_permanently', { confirm_name: domain }))
  destroy.mockRestore()
  expect(job.status).toBe('Failed')
  expect(await now(name)).toMatchObject({ status: 'Archived', failure_reason: null })
  await t.running.documents.runAction(t.owner, 'Job', job.name, 'retry', {})
  expect((await t.end({ job: job.name })).status).toBe('Done')
  expect(await t.siteNow(name)).toBeNull()
})
