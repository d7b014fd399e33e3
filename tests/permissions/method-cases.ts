import type { Method } from '#server/contracts/method.ts'
import { personOf, type Case } from './cases.ts'
import { columnOf, inScope, isGuest, rowOf } from './expectations.ts'
import type { Matrix, MethodRow } from './matrix.ts'
import { everybody, profileOf, type PersonKey } from './people.ts'
import { call, type TestContext } from './test-context.ts'

/** Row of a method: by full name, else by last segment. */
export function methodRow(matrix: Matrix, name: string): MethodRow | undefined {
  return matrix.methods.get(name) ?? matrix.methods.get(name.slice(name.lastIndexOf('.') + 1))
}

/** Whether the fixture lets a person call a method at all. */
function mayCall(row: MethodRow, key: PersonKey): boolean {
  const { token, unverified, platformAdmin } = profileOf(key)
  if (token) return row.scope !== null && (row.scope === 'any' || hasScope(token.scopes, row.scope))
  if (row.who === 'guest') return true
  if (isGuest(key)) return false
  if (row.who === 'self') return true
  if (row.who === 'platform') return platformAdmin === true
  if (unverified) return false
  return row.who === 'verified' || columnOf(key, 'acme') !== null || columnOf(key, 'globex') !== null
}

function hasScope(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(scope) || (scope.endsWith(':read') && scopes.includes(scope.replace(/:read$/, ':write')))
}

/** Every person × method. Methods that write are called with a verb they don't accept, so that nothing happens. */
export function methodCases(matrix: Matrix, methods: readonly Method[]): Case[] {
  return methods.flatMap((method) => {
    const row = methodRow(matrix, method.name)
    if (!row) return []
    const writes = !method.verbs.includes('GET')
    return everybody
      .filter((key) => isTried(row, key))
      .map((key): Case => {
        const allowed = mayCall(row, key)
        return {
          title: `${key} ${allowed ? 'can' : 'cannot'} call ${method.name}`,
          doctype: '',
          kind: 'method',
          async run(context) {
            const response = await call(context, personOf(context, key), 'GET', `/api/method/${method.name}`)
            // Access is checked before the verb.
            const denied = response.status === 403 && !response.text.includes('is called with')
            if (!allowed) return denied ? null : `${response.status} ${response.text.slice(0, 200)}`
            if (denied && row.asksAgain) return null
            return denied || (writes && response.status !== 403)
              ? `${response.status} ${response.text.slice(0, 200)}`
              : null
          },
        }
      })
  })
}

/** Skipped: the founder becomes a member by founding, and the platform admin belongs to no organization here. */
function isTried(row: MethodRow, key: PersonKey): boolean {
  return row.who !== 'member' || (key !== 'founder' && !profileOf(key).platformAdmin)
}

/** A call that acts on the person's current organization: allowed if the person's cell says so. */
interface OwnCall {
  readonly method: string
  readonly params: Record<string, unknown>
  readonly row: string
  /** A verb the cell must name, or a letter it must contain; `act` for rows of actions. */
  readonly needs: string
  /** HTTP verb of the call. */
  readonly verb?: 'GET' | 'POST'
  /** Doctype that an API token needs the scope for writing of, besides the method's own scope. */
  readonly writes?: string
}

const ownCalls: readonly OwnCall[] = [
  {
    method: 'get_cloud_provider_metadata',
    params: {},
    row: 'get_cloud_provider_metadata',
    needs: 'act',
    verb: 'GET',
  },
  {
    method: 'easydash.easydash.doctype.wpc_site.wpc_site.get_options',
    params: {},
    row: 'WPC Site',
    needs: 'W',
    writes: 'WPC Site',
  },
  { method: 'get_subscription_status', params: {}, row: 'Subscription status', needs: 'R', verb: 'GET' },
  {
    method: 'easydash.api.billing.change_plan',
    params: { plan: 'Enterprise' },
    row: 'plan change, invoices, cards, billing profile',
    needs: 'W',
  },
  {
    method: 'easydash.api.billing.reactivate_plan',
    params: {},
    row: 'plan change, invoices, cards, billing profile',
    needs: 'W',
  },
  {
    method: 'set_customer_details',
    params: { customer_data: {} },
    row: 'plan change, invoices, cards, billing profile',
    needs: 'W',
  },
  {
    method: 'invite_members',
    params: { users: ['invitee@acme.example'], organization_role: 'Organization User' },
    row: 'Member Invite',
    needs: 'C',
  },
]

/** Calls without a document, one per person. */
export function ownCallCases(matrix: Matrix): Case[] {
  return ownCalls.flatMap((one) =>
    everybody
      .filter((key) => key !== 'founder' && !profileOf(key).platformAdmin)
      .map((key): Case => {
        const allowed = isAllowed(matrix, key, one)
        return {
          title: `${key} ${allowed ? 'can' : 'cannot'} call ${one.method} for their organization`,
          doctype: '',
          kind: 'method',
          async run(context) {
            const response = await call(
              context,
              personOf(context, key),
              one.verb ?? 'POST',
              `/api/method/${one.method}`,
              one.params,
            )
            const passed = response.status === 200 || response.status === 417
            const denied = response.status === 403 || response.status === 404
            return (allowed ? passed : denied) ? null : `${response.status} ${response.text.slice(0, 200)}`
          },
        }
      }),
  )
}

function isAllowed(matrix: Matrix, key: PersonKey, { method, row, needs, writes }: OwnCall): boolean {
  const declared = methodRow(matrix, method) as MethodRow
  if (!mayCall(declared, key) || (writes && !inScope(matrix, key, writes, 'W'))) return false
  const { chosen, token } = profileOf(key)
  const column = columnOf(key, token?.organization ?? chosen ?? null)
  if (column === null) return false
  const cell = rowOf(matrix, row)[column]
  return needs === 'act' ? cell.act !== null : cell.letters[needs as 'R'] !== undefined
}

/** Billing profiles are readable only by the owner (and platform admins), also through methods. */
export async function billingLeaks(context: TestContext): Promise<string[]> {
  const leaks: string[] = []
  await context.product.database.pool.query(
    "update tab_billing_profile set city = 'acme-marker-city' where name = 'acme'",
  )
  for (const key of everybody) {
    if (profileOf(key).platformAdmin) continue
    const response = await call(context, personOf(context, key), 'GET', '/api/method/get_user_profile')
    const owner = columnOf(key, 'acme') === 'OW'
    if (response.text.includes('acme-marker-city') !== owner)
      leaks.push(`${key} ${response.status} ${response.text.slice(0, 120)}`)
  }
  return leaks
}
