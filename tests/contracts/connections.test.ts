import { afterEach, describe, expect, test } from 'vitest'
import { checkOf } from '#server/features/connections/connection-test.ts'
import {
  runConnectionTest,
  connectionTestContext,
  connectionTests,
} from '#server/features/connections/connection-tests.ts'
import { englishOf, untranslatable } from '#tests/support/message-texts.ts'
import type { SimulatedResponse } from '#server/providers/simulator/simulated-vendor.ts'
import { startVendor, type SimulatorMode, type Simulator } from './vendors/simulator.ts'
import { secretOf } from './vendors/keys.ts'
import { cases, startBucket, type Case } from './vendors/vendors.ts'

/** Runs a connection test as the web app does. */
async function ask(one: Case, vendor: Pick<Simulator, 'url'>, values: Record<string, string>, timeoutMs = 5000) {
  const { url } = vendor
  const endpoints = { hetzner: url, digitalocean: url, awsEc2: url, awsS3: url, wpcloud: url, github: url, slack: url }
  const room = connectionTestContext(
    { endpoints, egressIps: ['192.0.2.10'], allowPrivateCidrs: [], addressMap: {} },
    timeoutMs,
  )
  const connectionTest = connectionTests[one.name]
  const complete = Object.fromEntries(connectionTest.fields.map((field) => [field, values[field] ?? '']))
  const check = checkOf(await runConnectionTest(connectionTest, complete, room), {
    took_ms: 1,
    checked_at: '',
    stored: true,
  })
  const { message, message_i18n, advice, advice_i18n } = check
  expect(message_i18n && englishOf(message_i18n)).toBe(message)
  expect(advice_i18n ? englishOf(advice_i18n) : null).toBe(advice)
  expect(await untranslatable([message_i18n, advice_i18n])).toEqual([])
  return check
}

let vendor: Simulator | null = null
afterEach(async () => {
  const problems = vendor?.problems ?? []
  await vendor?.close()
  vendor = null
  expect(problems).toEqual([])
})

describe.each(cases)('$name', (one) => {
  const start = async (mode: SimulatorMode = 'well') => {
    vendor = await one.start()
    vendor.mode = mode
    return vendor
  }

  test('a valid key works, and the result says what it can access', async () => {
    expect(await ask(one, await start(), one.good)).toMatchObject({ outcome: 'ok', message: one.message, advice: null })
  })

  test('an unknown key is a wrong key', async () => {
    const found = await ask(one, await start(), { ...one.good, [one.secret]: 'some-other-key' })
    expect(found.outcome).toBe('wrong_key')
    expect(JSON.stringify(found)).not.toContain('some-other-key')
  })

  test('a key that may not do enough has the wrong scope', async () => {
    const found = await ask(one, await start(), { ...one.good, [one.secret]: secretOf.narrow })
    expect(found).toMatchObject({ outcome: 'wrong_scope', advice: expect.any(String) })
  })

  test('a rate-limited vendor is reported as such', async () => {
    expect((await ask(one, await start('busy'), one.good)).outcome).toBe('rate_limited')
  })

  test('errors of the vendor are reported as the vendor’s', async () => {
    expect(await ask(one, await start('broken'), one.good)).toMatchObject({ outcome: 'unexpected', status: 503 })
  })

  test.each(['garbage', 'huge'] as const)('an answer that is none is not taken for success: %s', async (mode) => {
    expect((await ask(one, await start(mode), one.good)).outcome).toBe('unexpected')
  })

  test('a vendor that does not answer is unreachable, after the time given', async () => {
    expect((await ask(one, await start('silent'), one.good, 300)).outcome).toBe('unreachable')
  })

  test('a vendor that is not there is unreachable', async () => {
    const gone = await start()
    await gone.close()
    expect((await ask(one, gone, one.good)).outcome).toBe('unreachable')
  })

  test('no request is sent without credentials, or with malformed ones', async () => {
    const here = await start()
    expect((await ask(one, here, {})).outcome).toBe('missing')
    expect((await ask(one, here, { ...one.good, [one.secret]: 'two\r\nlines' })).outcome).toBe('wrong_key')
    expect(here.seen).toEqual([])
  })
})

describe('bucket', () => {
  const one = cases.find(({ name }) => name === 'bucket') as Case

  test('leaves nothing behind', async () => {
    vendor = await one.start()
    await ask(one, vendor, one.good)
    const methods = vendor.seen.map(({ method }) => method)
    expect([methods[0], methods.at(-1)]).toEqual(['PUT', 'DELETE'])
    expect(vendor.seen.at(-1)?.path).toBe(vendor.seen[0]?.path)
  })

  test.each(['write', 'read', 'list', 'delete'] as const)('names the right that is missing: %s', async (missing) => {
    const rights = (['write', 'read', 'list', 'delete'] as const).filter((right) => right !== missing)
    vendor = await startBucket(undefined, rights)
    const found = await ask(one, vendor, { ...one.good, bucket_secret_key: secretOf.narrow })
    expect(found).toMatchObject({ outcome: 'wrong_scope', message: expect.stringContaining(missing) })
  })

  test('finds a bucket that is public, in another region, or keeps versions', async () => {
    vendor = await startBucket((state) => void (state.isPublic = true))
    expect(await ask(one, vendor, one.good)).toMatchObject({
      outcome: 'unexpected',
      message: expect.stringContaining('is public'),
    })
    expect(await ask(one, vendor, { ...one.good, bucket_region: 'us-west-2' })).toMatchObject({
      message: 'The bucket is in another region.',
    })
    expect(vendor.problems).toEqual([])
    await vendor.close()
    vendor = await startBucket((state) => void (state.versions = 'Enabled'))
    expect(await ask(one, vendor, one.good)).toMatchObject({
      outcome: 'ok',
      advice: expect.stringContaining('keeps versions'),
    })
  })

  test('knows a wrong name, and says what cannot be one', async () => {
    vendor = await one.start()
    expect(await ask(one, vendor, { ...one.good, bucket_name: 'nowhere' })).toMatchObject({
      outcome: 'unexpected',
      message: 'There is no bucket of this name at the store.',
    })
    const wrongs: Record<string, string>[] = [{ bucket_name: 'a/../b' }, { bucket_region: 'x.evil.example' }]
    for (const wrong of wrongs) expect((await ask(one, vendor, { ...one.good, ...wrong })).outcome).toBe('missing')
  })

  test("an organization's own address has to be public and https", async () => {
    vendor = await one.start()
    for (const bucket_endpoint of [vendor.url, 'https://127.0.0.1', 'https://169.254.169.254'])
      expect((await ask(one, vendor, { ...one.good, bucket_endpoint })).outcome).toBe('unreachable')
    expect(vendor.seen).toEqual([])
  })
})

describe('slack', () => {
  const one = cases.find(({ name }) => name === 'slack') as Case
  const answers: [path: string, answer: SimulatedResponse, outcome: string][] = [
    ['/services/T1/B1/right', { status: 200, body: 'ok' }, 'ok'],
    ['/services/T1/B1/removed', { status: 404, body: 'no_service' }, 'wrong_key'],
    ['/services/T1/B1/archived', { status: 410, body: 'channel_is_archived' }, 'wrong_key'],
    ['/services/T1/B1/busy', { status: 429, body: 'rate_limited', headers: { 'retry-after': '1' } }, 'rate_limited'],
    ['/services/T1/B1/strange', { status: 200, body: 'welcome' }, 'unexpected'],
  ]

  test.each(answers)('a webhook is tested with a message: %s', async (path, answer, outcome) => {
    vendor = await startVendor(() => ({ ...answer, type: 'text/plain' }))
    expect((await ask(one, vendor, { slack_webhook_url: `${vendor.url}${path}` })).outcome).toBe(outcome)
    expect(vendor.seen).toMatchObject([{ path, method: 'POST', body: expect.stringContaining('"text":"This channel') }])
  })

  test('a token whose channel refuses messages does not pass', async () => {
    const team = { ok: true, user: 'easydash', team: 'Acme' }
    let posted: Record<string, unknown> = { ok: false, error: 'not_in_channel' }
    vendor = await startVendor(({ path }) => ({ status: 200, body: path === '/chat.postMessage' ? posted : team }))
    const values = { ...one.good, slack_channel: '#büro' }
    expect(await ask(one, vendor, values)).toMatchObject({
      outcome: 'wrong_scope',
      message: 'Slack did not take a message for the channel: “not_in_channel”.',
    })
    posted = { ok: true }
    expect((await ask(one, vendor, values)).outcome).toBe('ok')
    expect(vendor.seen.map(({ path }) => path)).toEqual([
      '/auth.test',
      '/chat.postMessage',
      '/auth.test',
      '/chat.postMessage',
    ])
  })

  test('a webhook of another host gets nothing', async () => {
    vendor = await startVendor(() => ({ status: 200, body: 'ok' }))
    const other = await startVendor(() => ({ status: 200, body: 'ok' }))
    expect((await ask(one, vendor, { slack_webhook_url: other.url })).outcome).toBe('wrong_key')
    expect(other.seen).toEqual([])
    await other.close()
  })
})

describe('github', () => {
  const one = cases.find(({ name }) => name === 'github') as Case

  test('an unknown team is named', async () => {
    vendor = await one.start()
    const found = await ask(one, vendor, { ...one.good, bot_github_teams: 'site-crew\nBakers' })
    expect(found).toMatchObject({ outcome: 'unexpected', message: expect.stringContaining('no team Bakers') })
  })
})
