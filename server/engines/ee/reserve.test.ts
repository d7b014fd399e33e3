import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StepContext } from '../engine.ts'
import { thisMachine, type SiteRef } from '../site-ref.ts'
import { reserveStep } from './create-steps.ts'
import type { EeContext } from './ee-context.ts'

/** The step on a server whose commands this machine's shell runs. */

let root: string
const marks = () => readdir(join(root, 'var/sites'))

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ee-reserve-'))
  await mkdir(join(root, 'bin'))
  await mkdir(join(root, 'opt/easyengine/db'), { recursive: true })
  await writeFile(join(root, 'opt/easyengine/db/ee.sqlite'), '')
  const programs = { docker: 'true', sqlite3: '[ ! -f "$EASYDASH_ROOT/rows" ] || cat "$EASYDASH_ROOT/rows"' }
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(root, 'bin', name), `#!/bin/sh\n${text}\n`)
    await chmod(join(root, 'bin', name), 0o755)
  }
})
afterEach(() => rm(root, { recursive: true }))

/** A server that nobody changes before so many have looked at it. */
function contextFor(lookers: number): EeContext {
  const all = Promise.withResolvers<void>()
  let looked = 0
  const run = async (_target: unknown, [program = '', ...args]: readonly string[], { stdin }: { stdin?: string }) => {
    const env = { EASYDASH_ROOT: root, EASYDASH_STATE: join(root, 'var'), PATH: `${join(root, 'bin')}:/usr/bin:/bin` }
    const { status, stdout, stderr } = spawnSync(program, args, { env, input: stdin ?? '' })
    return { code: status, stdout: String(stdout), stderr: String(stderr) }
  }
  const read = async (...call: Parameters<typeof run>) => {
    const seen = await run(...call)
    looked += 1
    if (looked === lookers) all.resolve()
    await all.promise
    return seen
  }
  return { ssh: { run, read } } as unknown as EeContext
}

const server = { ...thisMachine, address: '192.0.2.1', hostKey: 'ssh-ed25519 AAAA', credentials: {} }
const site = (id: string, domain: string) =>
  ({ id, domain, siteType: 'wp', phpVersion: '8.4', server }) as unknown as SiteRef
const step = { signal: new AbortController().signal } as StepContext
const reserve = (...sites: readonly SiteRef[]) => {
  const context = contextFor(sites.length)
  return Promise.allSettled(sites.map((one) => reserveStep(context, one).run(step)))
}

test.each([
  ['a-b.example', 'ab.example'],
  ['a.b.example', 'a-b.example'],
  ['same.example', 'same.example'],
])('of %s and %s at once, one is refused', async (one, other) => {
  const ends = await reserve(site('aaaaaaaaaa', one), site('bbbbbbbbbb', other))
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
  expect(refused).toEqual([expect.objectContaining({ code: 'conflict', message: expect.stringContaining(one) })])
  expect(await marks()).toEqual([one])
})

test('a site that somebody made on the server meanwhile counts, too', async () => {
  // Without its other columns the list of sites leaves it out, as if it had not been there yet.
  await writeFile(join(root, 'rows'), '[{"site_url":"ab.example"}]')
  expect(await reserve(site('aaaaaaaaaa', 'a-b.example'))).toMatchObject([
    { status: 'rejected', reason: { code: 'conflict', message: expect.stringContaining('ab.example') } },
  ])
  expect(await marks()).toEqual([])
})

test('others at once go through, and a second attempt finds its own mark', async () => {
  const [one, other] = [site('aaaaaaaaaa', 'a-b.example'), site('bbbbbbbbbb', 'a-c.example')]
  for (const _time of [1, 2])
    expect((await reserve(one, other)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect((await marks()).toSorted()).toEqual(['a-b.example', 'a-c.example'])
})

test('a mark that had no room is no mark', async () => {
  await mkdir(join(root, 'var/sites'), { recursive: true })
  await writeFile(join(root, 'var/sites/a-b.example'), '')
  expect(await reserve(site('aaaaaaaaaa', 'a-b.example'))).toMatchObject([{ status: 'fulfilled' }])
})
