import { parse, stringify } from 'qs'
import { openApiJudge, type Judge } from './openapi-judge.ts'

/** What only browsers send: the description is that of the calls by the secret key, which send no card. */
const browserFields = ['key', 'client_secret', 'payment_method_data']

/**
 * Judges exchanges with Stripe. Payment intents are in no description that is at hand: browsers confirm them, and whoever has the
 * secret key reads invoices instead.
 */
export function stripeJudge(): Judge {
  const judge = openApiJudge('stripe')
  return (request, response) => {
    if (!request.path.startsWith('/v1/') || request.method === 'OPTIONS') return null
    if (request.path.startsWith('/v1/payment_intents/')) return null
    const form = parse(request.body, { depth: 12, arrayLimit: 100 })
    if (!('key' in form)) return judge(request, response)
    for (const name of browserFields) delete form[name]
    return judge({ ...request, body: stringify(form) }, response)
  }
}
