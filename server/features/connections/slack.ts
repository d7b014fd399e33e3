import { vendorText } from '#server/providers/provider-error.ts'
import { msg } from '#shared/localized-message.ts'
import {
  invalidCredentialsResult,
  jsonOf,
  limited,
  unexpectedResult,
  rejectedResult,
  successResult,
  type ConnectionTest,
  type ConnectionTestContext,
  type ConnectionTestResult,
  type ConnectionValues,
  type VendorEndpoints,
} from './connection-test.ts'

const wrongKeys = ['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired']
const wrongScopes = [
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'access_denied',
  'team_access_not_granted',
]

/** What a test posts. */
const testText = 'This channel gets the notifications of Easydash.'

/**
 * Reads the owner of the token, and posts to its channel, if it has one: a token can be good and its messages refused. Posts to the
 * webhook, which can do nothing else. Slack reports most errors with status 200.
 */
export const slack: ConnectionTest = {
  name: 'slack',
  vendor: 'Slack',
  fields: ['slack_token', 'slack_webhook_url', 'slack_channel'],
  required: ['slack_token'],
  alternative: 'slack_webhook_url',
  async run(values, context) {
    if (values['slack_webhook_url']) {
      const found = await postToWebhook(values, context, testText)
      return found.outcome === 'ok' ? { ...found, message: msg`The webhook works: a message was posted.` } : found
    }
    const response = await context.ask(new URL(`${context.endpoints.slack}/auth.test`), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${values['slack_token']}`,
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      },
      body: '',
    })
    const body = jsonOf(response)
    const code = vendorText(body?.['error'])
    if (code === 'ratelimited') return limited(this, response)
    if (wrongKeys.includes(code))
      return { ...rejectedResult(this, { ...response, status: 401 }, code), status: response.status }
    if (wrongScopes.includes(code))
      return { ...rejectedResult(this, { ...response, status: 403 }, code), status: response.status }
    if (response.status !== 200) return rejectedResult(this, response, code)
    const team = vendorText(body?.['team'])
    if (body?.['ok'] !== true || team === '') return unexpectedResult(this, response)
    const user = vendorText(body['user'])
    const channel = values['slack_channel'] ?? ''
    if (channel === '') return successResult(msg`The token works: it belongs to ${user} in ${team}.`, response)
    const found = await postMessage(values, context, testText)
    if (found.outcome !== 'ok') return found
    return {
      ...found,
      message: msg`The token works: it belongs to ${user} in ${team}, and a message was posted to ${channel}.`,
    }
  },
}

/** Whether Slack, or what the operator set in its place, serves the address: it gets what we send. */
export function isWebhookUrl(text: string, { slackWebhooks }: Pick<VendorEndpoints, 'slackWebhooks'>): boolean {
  return URL.canParse(text) && new URL(text).href.startsWith(`${slackWebhooks}/`)
}

/** Whether messages can be posted: to a webhook, or by a bot that knows its channel. */
export function canPost(values: Readonly<Record<string, unknown>>): boolean {
  return Boolean(values['slack_webhook_url'] || (values['slack_token'] && values['slack_channel']))
}

/** Posts a message in Slack's markup. May throw what `ask` throws. */
export async function postMessage(
  values: ConnectionValues,
  context: ConnectionTestContext,
  text: string,
): Promise<ConnectionTestResult> {
  if (values['slack_webhook_url']) return postToWebhook(values, context, text)
  const response = await context.ask(new URL(`${context.endpoints.slack}/chat.postMessage`), {
    method: 'POST',
    headers: { authorization: `Bearer ${values['slack_token']}`, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ channel: values['slack_channel'], text, unfurl_links: false }),
  })
  const body = jsonOf(response)
  if (response.status === 200 && body?.['ok'] === true) return delivered(response)
  const code = vendorText(body?.['error'])
  const found = rejectedResult(slack, response.status === 200 ? { ...response, status: 403 } : response, code)
  if (found.outcome !== 'wrong_scope') return found
  return {
    ...found,
    message: msg`Slack did not take a message for the channel: “${code}”.`,
    advice: msg`Invite the bot to the channel, give its token the scope chat:write, and check the channel’s name.`,
  }
}

async function postToWebhook(
  values: ConnectionValues,
  context: ConnectionTestContext,
  text: string,
): Promise<ConnectionTestResult> {
  const address = values['slack_webhook_url'] ?? ''
  if (!isWebhookUrl(address, context.endpoints))
    return invalidCredentialsResult(msg`This is no address of a webhook of Slack.`)
  const response = await context.ask(new URL(address), {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ text, unfurl_links: false }),
  })
  const { status } = response
  const answer = vendorText(response.body.toString('utf8'))
  if (status === 200) return answer === 'ok' ? delivered(response) : unexpectedResult(slack, response)
  if (status === 429 || status >= 500) return rejectedResult(slack, response)
  return {
    outcome: 'wrong_key',
    message: msg`Slack does not accept messages at this address (${status}): “${answer}”.`,
    advice: msg`The webhook was removed, or its channel archived. Make a new one and enter its address here.`,
    status,
  }
}

const delivered = (response: Parameters<typeof successResult>[1]) =>
  successResult(msg`Messages reach the channel.`, response)
