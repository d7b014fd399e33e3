import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

test('events are paused and resumed by the scheduler of EasyEngine, whose other jobs stay', async () => {
  const site = eeSpec(t.server)
  const { engine } = t
  await runSteps(engine.createSteps(site))
  await t.ee('cron', 'create', site.domain, '--command=wp media regenerate', '--schedule=*/5 * * * *')
  const changes = async () => (await t.effects()).filter((line) => line.startsWith('cron-'))
  const isPaused = async () => (await engine.wordpress.inspect(site)).events.paused
  expect(await isPaused()).toBe(false)
  for (const paused of [true, true]) await engine.wordpress.change(site, { kind: 'pause_events', paused })
  expect(await isPaused()).toBe(true)
  expect(await engine.runCron(site)).toBe(0)
  expect(await changes()).toEqual([`cron-create ${site.domain}`, 'cron-delete 1'])
  for (const paused of [false, false]) await engine.wordpress.change(site, { kind: 'pause_events', paused })
  expect(await isPaused()).toBe(false)
  expect(await changes()).toHaveLength(3)
  const { rows } = (await engine.wordpress.inspect(site)).events
  expect(await engine.wordpress.change(site, { kind: 'run_event', id: rows[0]?.id ?? '' })).toEqual({ ran: 1 })
  // Somebody deleted the job on the server.
  await t.ee('cron', 'delete', '3')
  expect(await isPaused()).toBe(true)
  expect(await t.violations()).toEqual([])
})
