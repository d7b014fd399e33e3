import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { callsOfRestores, watchPrograms, type Moment, type Moments } from '#tests/support/ee-moments.ts'
import { startRestoreFixture, type RestoreFixture } from '#tests/support/ee-restores.ts'
import type { EngineStep } from '../engine.ts'

/**
 * A server that loses its power in the middle of a restore or of its way back, before or after any of the programs that its scripts run: what
 * is done once more goes through, what is taken back is as it was, and nothing is left of either.
 */

let f: RestoreFixture
let moments: Moments

beforeAll(async () => {
  f = await startRestoreFixture({ id: 'rebooted01', domain: 'rebooted.example.com' }, async (made) => {
    await made.write('note.txt', 'kept')
  })
  moments = await watchPrograms(f.t)
}, 120_000)
afterAll(() => f?.t.end())

let changes = 0
async function change(): Promise<void> {
  changes += 1
  await f.change(({ options }) => void (options['blogname'] = `Changed ${changes}`))
  await f.write('note.txt', `changed ${changes}`)
  await f.write('new.txt', 'new')
}
const changed = () => [200, `Changed ${changes}`, `changed ${changes}`, 'new']
const kept = [200, 'Kept', 'kept', null]

const seen = async () => {
  const { status, body } = await f.t.engine.request(f.site, '/')
  if (status !== 200) return [status]
  return [status, /<title>(.*)<\/title>/.exec(body)?.[1], await f.read('note.txt'), await f.read('new.txt')]
}

async function expectOneState(): Promise<void> {
  const now = await seen()
  // Visitors wait, or there is no folder between two moves.
  if (![404, 503].includes(Number(now[0]))) expect([kept, changed()]).toContainEqual(now)
}

const names = (path: string) => readdir(join(f.t.root, path)).catch(() => [])
async function expectNothingLeft(): Promise<void> {
  const beside = await readdir(f.inPlace())
  expect(beside.filter((name) => !['state', 'wordpress', 'before'].includes(name))).toEqual([])
  for (const folder of ['jobs', 'claims'])
    expect([folder, await names(`var/lib/easydash/${folder}`)]).toEqual([folder, []])
  expect(await f.read('.maintenance')).toBeNull()
}

/**
 * Does something during which the server is rebooted, then does it again or takes it back. Says what became of it, and whether it took long enough
 * for the moment to come.
 */
async function rebooted({
  operation,
  steps,
  back,
  ...moment
}: Case & { readonly operation: string; steps(): EngineStep[] }): Promise<{ came: boolean; isDone: boolean }> {
  const { restores } = f.t.engine
  // A job goes on with the step that failed.
  const left = [...steps()]
  const run = async () => {
    for (; left.length > 0; left.shift()) await f.runAs(operation, left.slice(0, 1))
    await restores.finishRestore(f.site)
  }
  await moments.plan({ what: 'reboot', ...moment })
  const error: unknown = await run().then(
    () => null,
    (problem: unknown) => problem,
  )
  const came = await moments.hasCome()
  await moments.clear()
  if (!came) expect(error).toBeNull()
  await expectOneState()
  if (error === null) return { came, isDone: true }
  if (back) return { came, isDone: (await restores.undoRestore(f.site, operation)) === 'finished' }
  await run()
  return { came, isDone: true }
}

interface Case extends Omit<Moment, 'what'> {
  readonly back: boolean
}
const isLong = process.env['EASYDASH_TEST_LONG'] === '1'
/** In the long run, every program that is called. */
const everyCall: readonly Case[] = (['before', 'after'] as const).flatMap((when) =>
  [false, true].map((back) => ({ when, call: callsOfRestores, back })),
)
/** Goes through the cases, in the long run each with one call after the other until there are no more. */
async function eachCase(
  cases: readonly Case[],
  run: (one: Case, operation: string) => Promise<{ readonly came: boolean }>,
): Promise<void> {
  let count = 0
  for (const one of isLong ? everyCall : cases)
    for (let number = one.number ?? 1, goesOn = true; goesOn; number += 1) {
      count += 1
      const { came } = await run({ ...one, number }, `${one.back ? 'back' : 'again'}-${one.when}-${number}-${count}`)
      if (!isLong) expect([one, came]).toEqual([one, true])
      goesOn = isLong && came
    }
}

test('a restore whose server is rebooted goes through once more, or is taken back', async () => {
  const cases: readonly Case[] = [
    { when: 'after', call: '^mv .*/prev/htdocs$', back: false },
    // It has ended, and nothing was removed yet.
    { when: 'after', call: '^mv .*/state.new', number: 5, back: false },
    { when: 'after', call: '^docker exec .* wp db import', back: true },
  ]
  await eachCase(cases, async (one, operation) => {
    await change()
    const ended = await rebooted({ operation, steps: () => f.restore('all'), ...one })
    expect([one, await seen()]).toEqual([one, ended.isDone ? kept : changed()])
    await expectNothingLeft()
    return ended
  })
}, 7_200_000)

test('a way back whose server is rebooted goes through once more, or is taken back', async () => {
  const { restores } = f.t.engine
  const cases: readonly Case[] = [
    { when: 'after', call: '^mv .*/before .*/next$', back: false },
    { when: 'after', call: '^mv .*/next/htdocs ', back: true },
  ]
  await eachCase(cases, async (one, operation) => {
    await change()
    await f.runAs(`of-${operation}`, f.restore('all'))
    await restores.finishRestore(f.site)
    const ended = await rebooted({ operation, steps: () => restores.bringBackSteps(f.site), ...one })
    expect([one, await seen()]).toEqual([one, ended.isDone ? changed() : kept])
    await expectNothingLeft()
    return ended
  })
}, 7_200_000)

test('what a stopped restore still has at work in the site changes nothing after it was taken back', async () => {
  await change()
  await moments.plan({ what: 'outlive', when: 'before', call: '^docker exec .* wp db import' })
  const stopped = new AbortController()
  const steps = runSteps(f.restore('all'), stopped.signal, 'stopped')
  await moments.come()
  stopped.abort()
  await expect(steps).rejects.toThrow()
  expect(await f.t.engine.restores.undoRestore(f.site, 'stopped')).toBe('undone')
  await moments.clear()
  await moments.outlived()
  expect(await seen()).toEqual(changed())
  await expectNothingLeft()
})

test('no reboot had the server do what it does not know', async () => {
  expect(await f.t.violations()).toEqual([])
})
