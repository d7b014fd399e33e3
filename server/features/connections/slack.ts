import { vendorText } from '#server/providers/provider-error.ts'
import { connectionFields } from '#shared/doctypes/connections.ts'
import { msg } from '#shared/localized-message.ts'
import {
  jsonOf,
  limited,
  unexpectedResult,
  rejectedResult,
  successResult,
  type ConnectionTest,
} from './connection-test.ts'

const wrongKeys = ['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired']
const wrongScopes = [
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'access_denied',
  'team_access_not_granted',
]

/** Reads the owner of the token. Slack reports most errors with status 200. */
export const slack: ConnectionTest = {
  name: 'slack',
  vendor: 'Slack',
  fields: connectionFields.slack,
  required: ['slack_token'],
  async run(values, context) {
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
    return successResult(msg`The token works: it belongs to ${vendorText(body['user'])} in ${team}.`, response)
  },
}
