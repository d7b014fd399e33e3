import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFakeEngine } from './fake/fake-engine.ts'
import { capabilitiesOf, isEngineWith, notSupported } from './facets.ts'
import { thisMachine } from './site-ref.ts'

test('a server has the capabilities that its engine has facets for, unless it lacks them for a reason of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'facets-'))
  const { settings: _, ...engine } = createFakeEngine({
    folder,
    lacks: () => ({ archive: 'No room.', suspend: 'Never.' }),
  })
  const all = capabilitiesOf(engine, thisMachine)
  const lacking = Object.entries(all).flatMap(([name, one]) => (one.supported ? [] : [[name, one.reason]]))
  expect(Object.fromEntries(lacking)).toEqual({
    archive: 'No room.',
    suspend: 'Never.',
    ...Object.fromEntries(
      [
        ...['php_limits', 'debug_mode', 'maintenance', 'http_auth'],
        ...['preview_link', 'wordpress_settings', 'protections'],
      ].map((name) => [name, notSupported]),
    ),
  })
  // What a server lacks says nothing about the engine.
  expect([isEngineWith(engine, 'archive'), isEngineWith(engine, 'suspend')]).toEqual([true, false])
  await rm(folder, { recursive: true })
})
