/** A process in which an owner changes a paid plan, and which a test kills. */
import { createDocuments } from '#server/documents/documents.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import { createBilling } from '#server/features/billing/billing.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { openStripe, type StripeSettings } from '#server/providers/stripe/stripe-client.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { sessionOf } from './documents.ts'
import { idleActions } from './idle-actions.ts'
import { childOrder, runAndKill, type Until } from './killed-process.ts'
import { plainSecrets } from './secrets.ts'

interface PlanOrder {
  readonly connection: PostgresConnection
  readonly stripe: StripeSettings
  readonly now: number
  readonly organization: string
  readonly action: string
  readonly args: Record<string, unknown>
}

/** Does it until the crash point, or until `until` kills it. */
export const changeAndKill = (point: string, order: PlanOrder, until?: Until) =>
  runAndKill(import.meta.filename, { point, order, until })

const given = childOrder<PlanOrder>()
if (given) {
  const { connection, stripe, now, organization, action, args } = given
  let documents: OpenDocuments | null = null
  const billing = createBilling({
    documents: () => documents as OpenDocuments,
    log: silentLog,
    clock: { now: () => now },
    payments: {
      api: openStripe(stripe),
      mailer: { send: () => Promise.resolve() },
      sender: { productName: 'Easydash', url: 'http://localhost' },
      rateLimiter: { hit: () => Promise.resolve() },
    },
  })
  documents = await createDocuments({
    database: openDatabase({ connection, log: silentLog }),
    doctypes,
    log: silentLog,
    mask: (value) => value,
    controllers: [...billing.controllers, ...idleActions(doctypes, billing.controllers)],
    secrets: {
      seal: (_scope, aad, text) => plainSecrets.seal(aad, text),
      open: (_scope, aad, sealed) => plainSecrets.open(aad, sealed),
    },
  })
  const owner = sessionOf(`owner@${organization}.example`, organization)
  await documents.runAction(owner, SubscriptionDoctype.name, organization, action, args)
  throw new Error('It ended before')
}
