import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { activityWording } from '#shared/activity-wording.ts'
import type { SimulatedResponse } from '#server/providers/simulator/simulated-vendor.ts'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import { startVendor, type Simulator } from '#tests/contracts/vendors/simulator.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { createConnections } from './connections.ts'
import { connectionTestContext } from './connection-tests.ts'
import { slackNotifications } from './slack-notifications.ts'

const owner = sessionOf('owner@acme.example', 'acme')
const taken: SimulatedResponse = { status: 200, body: { ok: true, channel: 'C1', ts: '1.1' } }

let slack: Simulator
let response: SimulatedResponse
let t: TestDocuments
let send: () => Promise<void>

beforeAll(async () => {
  slack = await startVendor(() => response)
  const config = loadConfig({ SLACK_API_URL: slack.url }, '/tmp')
  const documents = () => t.documents
  const limiter = { hit: () => Promise.resolve() }
  const feature = createConnections({
    config,
    documents,
    rateLimiter: limiter,
    log: silentLog,
    publicKey: () => Promise.resolve(''),
  })
  t = await createTestDocuments({ controllers: feature.controllers ?? [] })
  send = slackNotifications({
    documents,
    log: silentLog,
    context: connectionTestContext(config),
    config: { url: 'http://dash.test' },
  })
  await t.organization('acme')
  await t.organization('globex')
})
afterAll(async () => {
  await t.close()
  await slack.close()
})
beforeEach(async () => {
  response = taken
  await t.documents.save(owner, 'Organization', 'acme', {
    slack_token: 'xoxb-1',
    slack_channel: '#ops',
    slack_on_failure: 1,
    slack_on_sites: 1,
    slack_on_people: 0,
    slack_on_settings: 1,
  })
  await send()
  await send()
  slack.seen.length = 0
})

const entry = (action: string, result: 'Done' | 'Failed', title: string, organization = 'acme') =>
  t.documents.transaction(sessionOf('ann@acme.example', organization), (tx) =>
    tx.activity({
      action,
      result,
      organization,
      reference_doctype: 'Site',
      reference_name: 'site000001',
      reference_title: title,
    }),
  )
const messages = () => slack.seen.map(({ body }) => JSON.parse(body) as { channel: string; text: string })
const connection = () => t.documents.transaction(t.system, (tx) => tx.find(ConnectionDoctype, []))

test('events are sent once, in one message, with user input escaped', async () => {
  await entry('Site.create', 'Done', 'shop & <b>')
  await entry('Site.archive', 'Failed', 'blog')
  await entry('wpc_site.delete_permanently', 'Done', 'one.example')
  await send()
  await send()
  expect(messages()).toEqual([
    {
      channel: '#ops',
      unfurl_links: false,
      text: [
        '*acme*',
        'ann@acme.example created the site <http://dash.test/web/site/site000001|shop &amp; &lt;b&gt;>',
        ':x: Site: archive failed: <http://dash.test/web/site/site000001|blog> (ann@acme.example)',
        'ann@acme.example permanently deleted the site <http://dash.test/web/site/site000001|one.example>',
      ].join('\n'),
    },
  ])
  expect(slack.seen[0]?.headers['authorization']).toBe('Bearer xoxb-1')
})

test('what is noticed without anybody doing it is sent like a failure, and so is its end', async () => {
  await entry('Site.went_down', 'Failed', 'blog')
  await entry('Site.came_up', 'Done', 'blog')
  await send()
  expect(messages()[0]?.text.split('\n').slice(1)).toEqual([
    ':x: A site is down: <http://dash.test/web/site/site000001|blog> (ann@acme.example)',
    ':white_check_mark: A site is up again: <http://dash.test/web/site/site000001|blog>',
  ])
})

test('unwanted events and those of other organizations are not sent', async () => {
  await t.documents.save(owner, 'Organization', 'acme', { slack_on_sites: 0, slack_on_settings: 0 })
  await send()
  slack.seen.length = 0
  await entry('Site.create', 'Done', 'shop')
  await entry('Organization Member.insert', 'Done', 'ben')
  await entry('Site.create', 'Failed', 'other', 'globex')
  await send()
  expect(messages()).toEqual([])
})

test('members and settings are named as in the activity log', async () => {
  await t.documents.save(owner, 'Organization', 'acme', { slack_on_people: 1 })
  await send()
  slack.seen.length = 0
  await entry('Organization Member.insert', 'Done', 'ben')
  await entry('Organization.set_modules', 'Done', 'acme')
  await send()
  expect(messages()[0]?.text.split('\n').slice(1)).toEqual([
    'ann@acme.example added a member: ben',
    `ann@acme.example ${activityWording('Organization.set_modules')}`,
  ])
})

test('a Slack that cannot be reached hears it later', async () => {
  slack.mode = 'busy'
  await entry('Site.create', 'Done', 'shop')
  await send()
  slack.mode = 'well'
  slack.seen.length = 0
  await send()
  expect(messages()).toHaveLength(1)
})

test('a Slack that refuses is shown in the settings and gets no old messages later', async () => {
  response = { status: 200, body: { ok: false, error: 'not_in_channel' } }
  await entry('Site.create', 'Done', 'shop')
  await send()
  expect(await connection()).toMatchObject({
    status: 'Failed',
    outcome: 'wrong_scope',
    message: 'Slack did not take a message for the channel: “not_in_channel”.',
  })
  response = taken
  slack.seen.length = 0
  await send()
  expect(messages()).toEqual([])
})

test('a webhook gets them instead, and a message that arrives ends an earlier failure', async () => {
  response = { status: 404, body: 'no_service' }
  await t.documents.save(owner, 'Organization', 'acme', { slack_webhook_url: `${slack.url}/services/x` })
  await entry('Site.create', 'Done', 'shop')
  await send()
  expect(await connection()).toMatchObject({ status: 'Failed', outcome: 'wrong_key' })
  response = { status: 200, body: 'ok', type: 'text/plain' }
  await entry('Site.create', 'Done', 'blog')
  await send()
  expect(slack.seen.map(({ path }) => path)).toEqual(['/services/x', '/services/x'])
  expect(messages()[1]?.text).toContain('|blog>')
  expect(await connection()).toMatchObject({ status: 'Connected', outcome: 'ok' })
  await t.documents.save(owner, 'Organization', 'acme', { slack_webhook_url: '' })
})

test('combines concurrent notifications into one count', async () => {
  for (let at = 0; at < 18; at += 1) await entry('Site.create', 'Done', `site-${at}`)
  await send()
  const text = messages()[0]?.text ?? ''
  expect(text.split('\n')).toHaveLength(17)
  expect(text).toContain('and 3 more')
})
