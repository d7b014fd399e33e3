import { connectionFields } from '#shared/doctypes/connections.ts'
import { plural, msg } from '#shared/localized-message.ts'
import {
  jsonOf,
  limited,
  unexpectedResult,
  nestedObject,
  rejectedResult,
  vendorText,
  successResult,
  type ConnectionTest,
} from './connection-test.ts'

/** Lists one server of the token's project. Error codes take precedence over statuses: only codes are documented. */
export const hetzner: ConnectionTest = {
  name: 'hetzner',
  vendor: 'Hetzner',
  fields: connectionFields.hetzner,
  required: ['hcloud_token'],
  async run(values, context) {
    const response = await context.ask(new URL(`${context.endpoints.hetzner}/servers?per_page=1`), {
      headers: { authorization: `Bearer ${values['hcloud_token']}` },
    })
    const body = jsonOf(response)
    const error = nestedObject(body?.['error'])
    const code = String(error['code'] ?? '')
    const vendorMessage = vendorText(error['message'])
    if (code === 'rate_limit_exceeded') return limited(this, response)
    if (code === 'unauthorized') return rejectedResult(this, { ...response, status: 401 }, vendorMessage)
    if (code === 'forbidden' || code === 'token_readonly')
      return rejectedResult(this, { ...response, status: 403 }, vendorMessage)
    if (response.status !== 200) return rejectedResult(this, response, vendorMessage)
    const total = nestedObject(nestedObject(body?.['meta'])['pagination'])['total_entries']
    if (!Array.isArray(body?.['servers'])) return unexpectedResult(this, response)
    const count = typeof total === 'number' ? total : body['servers'].length
    return successResult(
      plural(
        count,
        msg`The token works: ${count} server in its project.`,
        msg`The token works: ${count} servers in its project.`,
      ),
      response,
    )
  },
}
