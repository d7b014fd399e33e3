import { connectionFields } from '#shared/doctypes/connections.ts'
import { msg } from '#shared/localized-message.ts'
import {
  jsonOf,
  unexpectedResult,
  rejectedResult,
  vendorText,
  successResult,
  type ConnectionTest,
} from './connection-test.ts'

/** Lists one site of the client account. A key works only from the addresses it allows and for one account. */
export const wpcloud: ConnectionTest = {
  name: 'wpc',
  vendor: 'WP Cloud',
  fields: connectionFields.wpc,
  required: ['wpc_api_key', 'wpc_client_id'],
  async run(values, context) {
    const client = encodeURIComponent(values['wpc_client_id'] ?? '')
    const answer = await context.ask(new URL(`${context.endpoints.wpcloud}/get-sites/${client}?limit=1`), {
      headers: { auth: values['wpc_api_key'] ?? '', accept: 'application/json' },
    })
    const body = jsonOf(answer)
    const vendorMessage = vendorText(body?.['message'])
    if (answer.status === 401 || answer.status === 403) {
      const { status } = answer
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
    if (answer.status !== 200) return rejectedResult(this, answer, vendorMessage)
    if (body === null || !('data' in body)) return unexpectedResult(this, answer)
    return successResult(msg`The key works: the sites of ${values['wpc_client_id'] ?? ''} can be read.`, answer)
  },
}
