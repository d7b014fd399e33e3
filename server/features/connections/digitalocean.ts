import { connectionFields } from '#shared/doctypes/connections.ts'
import { plural, msg } from '#shared/localized-message.ts'
import {
  jsonOf,
  unexpectedResult,
  nestedObject,
  rejectedResult,
  vendorText,
  successResult,
  type ConnectionTest,
} from './connection-test.ts'

/** Reads the account of the token. */
export const digitalocean: ConnectionTest = {
  name: 'digitalocean',
  vendor: 'DigitalOcean',
  fields: connectionFields.digitalocean,
  required: ['do_token'],
  async run(values, context) {
    const response = await context.ask(new URL(`${context.endpoints.digitalocean}/v2/account`), {
      headers: { authorization: `Bearer ${values['do_token']}` },
    })
    const body = jsonOf(response)
    if (response.status === 403) {
      const found = rejectedResult(this, response, vendorText(body?.['message']))
      return {
        ...found,
        advice: msg`Make a token with full access, or one whose scopes include account:read and droplet.`,
      }
    }
    if (response.status !== 200) return rejectedResult(this, response, vendorText(body?.['message']))
    const account = nestedObject(body?.['account'])
    const { droplet_limit: limit, status } = account
    if (typeof status !== 'string' || typeof limit !== 'number') return unexpectedResult(this, response)
    if (status === 'locked')
      return {
        outcome: 'wrong_scope',
        message: msg`The token works, but DigitalOcean has locked its account.`,
        advice: msg`Sign in at DigitalOcean to see why.`,
        status: response.status,
      }
    const team = vendorText(nestedObject(account['team'])['name'])
    const message =
      team === ''
        ? plural(limit, msg`The token works: up to ${limit} droplet.`, msg`The token works: up to ${limit} droplets.`)
        : plural(
            limit,
            msg`The token works for ${team}: up to ${limit} droplet.`,
            msg`The token works for ${team}: up to ${limit} droplets.`,
          )
    return successResult(message, response)
  },
}
