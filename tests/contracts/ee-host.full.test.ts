import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'

const repository = join(import.meta.dirname, '../..')
/** The part that takes the shortest time. */
const part = 'tests/contracts/engine-ee.full.test.ts'
const domain = 'ee.example.com'

/** What is read of a report of Vitest. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), title: z.string() })),
    }),
  ),
})

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

test('the contract runs on the server that the environment names, and deletes its own sites only', async () => {
  const [key, report] = [join(t.place.folder, 'key.pem'), join(t.place.folder, 'report.json')]
  await writeFile(key, t.place.privateKey, { mode: 0o600 })
  await t.ee('config', 'set', 'le-mail', 'ops@example.com')
  // Sites of others, one of them below the domain of the tests; and one of a run that was killed.
  const others = [`other.${domain}`, 'contract.example.org']
  await t.ee('site', 'create', others[0] ?? '', '--type=html')
  await t.create({ id: 'contr99998', domain: others[1] ?? '' })
  await t.create({ id: 'contr99999', domain: `left.${domain}` })
  const env = {
    ...process.env,
    ...{ EASYDASH_TEST_FULL: '1', EASYDASH_ADDRESS_MAP: JSON.stringify(t.place.addressMap) },
    ...{
      EASYDASH_TEST_EE_HOST: `${t.server.user}@${t.server.address}`,
      EASYDASH_TEST_EE_HOST_KEY: t.server.hostKey ?? '',
    },
    ...{ EASYDASH_TEST_EE_KEY: key, EASYDASH_TEST_EE_DOMAIN: domain },
  }
  const argv = ['run', part, '--reporter=json', `--outputFile=${report}`]
  const failure = await promisify(execFile)(join(repository, 'node_modules/.bin/vitest'), argv, {
    cwd: repository,
    env,
  }).then(
    () => null,
    (error: unknown) => error,
  )
  // Its report names what failed.
  const { testResults } = reportSchema.parse(JSON.parse(await readFile(report, 'utf8')))
  const cases = testResults.flatMap(({ assertionResults }) => assertionResults)
  const titled = (status: string) => cases.filter((one) => one.status === status).map(({ title }) => title)
  expect([titled('failed'), testResults.map(({ message }) => message), failure]).toEqual([[], [''], null])
  expect(titled('passed')).toContain('answers with the title of a created site')
  // It was this server, and nothing is left there but what others have.
  expect(await t.effects()).toContain(`create site-1.${domain}`)
  expect((await t.engine.host.sites(t.server)).map((one) => one.domain)).toEqual(others)
  expect(await t.violations()).toEqual([])
})
