import { vendorText } from '#server/providers/provider-error.ts'
import { connectionFields } from '#shared/doctypes/connections.ts'
import { msg } from '#shared/localized-message.ts'
import { jsonOf, unexpectedResult, rejectedResult, successResult, type ConnectionTest } from './connection-test.ts'

/** Lists one site of the client account. A key works only from the addresses it allows and for one account. */
export const wpcloud: ConnectionTest = {
  name: 'wpc',
  vendor: 'WP Cloud',
  fields: connectionFields.wpc,
  required: ['wpc_api_key', 'wpc_client_id'],
  async run(values, context) {
    const client = encodeURIComponent(values['wpc_client_id'] ?? '')
    const response = await context.ask(new URL(`${context.endpoints.wpcloud}/get-sites/${client}?limit=1`), {
      headers: { auth: values['wpc_api_key'] ?? '', accept: 'application/json' },
    })
    const body = jsonOf(response)
    const vendorMessage = vendorText(body?.['message'])
    if (response.status === 401 || response.status === 403) {
      const { status } = response
      const wanted = values['wpc_client_id'] ?? ''
      return {
        outcome: status === 401 ? 'wrong_key' : 'wrong_scope',
        message:
          vendorMessage === ''
            ? msg`WP Cloud rejects the key (${status}).`
            : msg`WP Cloud rejects the key (${status}): “${vendorMessage}”.`,
        advice:
          context.egressIps.length > 0
            ? msg`Check that the key belongs to the client ${wanted}, can use get-sites and allows ${context.egressIps}.`
            : msg`Check that the key belongs to the client ${wanted}, can use get-sites and allows the address of this server.`,
        status,
      }
    }
    if (response.status !== 200) return rejectedResult(this, response, vendorMessage)
    if (body === null || !('data' in body)) return unexpectedResult(this, response)
    return successResult(msg`The key works: the sites of ${values['wpc_client_id'] ?? ''} can be read.`, response)
  },
}
