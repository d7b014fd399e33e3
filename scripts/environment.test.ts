import { afterEach, expect, test, vi } from 'vitest'
import { secretSettings as secretsOfServer } from '#server/platform/config/config-settings.ts'
import { environmentForTools, secretSettings } from './environment.mjs'

afterEach(() => vi.unstubAllEnvs())

test('tools that install and build get no secret of the installation', () => {
  expect(secretSettings.toSorted()).toEqual(secretsOfServer.toSorted())
  for (const name of secretSettings) vi.stubEnv(name, 'canary')
  vi.stubEnv('EASYDASH_URL', 'https://dash.example.com')
  const environment = environmentForTools()
  expect(Object.values(environment)).not.toContain('canary')
  expect(environment).toMatchObject({ PATH: process.env['PATH'], EASYDASH_URL: 'https://dash.example.com' })
})
