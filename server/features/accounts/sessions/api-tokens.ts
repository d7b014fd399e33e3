import { randomBytes } from 'node:crypto'
import { accessContextIn, lockRights } from '#server/documents/documents.ts'
import { controller, type Controller } from '#server/contracts/controller.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import { ApiTokenDoctype } from '#shared/doctypes/api-token.ts'
import {
  OrganizationMemberDoctype,
  organizationRoles,
  type OrganizationRole,
} from '#shared/doctypes/organization-member.ts'
import { AppError } from '#shared/errors.ts'
import { data, datetime, json, select } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { described } from '#shared/schema.ts'
import { isTokenScope, tokenScopes, type TokenScope } from '#shared/rules/token-scopes.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { needFreshPassword } from '../passwords/fresh-password.ts'
import { tokenCreatedMail } from '../mails.ts'
import { requestDetails } from '../sign-in/request-details.ts'
import type { AccountServices } from '../account-services.ts'
import type { AccountSessions } from './sessions.ts'

/** Maximum number of active tokens per user and organization. */
const MAX_TOKENS = 50

/** Result of `create`: the only time the secret is visible. */
export interface NewApiToken {
  name: string
  api_key: string
  api_secret: string
  /** `KEY:SECRET`, as used in `Authorization: token KEY:SECRET`. */
  token: string
}

/** Methods for creating and revoking API tokens. They are listed as documents (`API Token`). */
export function apiTokenMethods(services: AccountServices): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.tokens.create',
      access: 'member',
      verbs: ['POST'],
      description:
        "Makes an API token of the caller's own in one organization and shows its secret, this once. Needs a password confirmed in the last ten minutes.",
      returns: z.object({
        name: z.string(),
        api_key: z.string(),
        api_secret: z.string(),
        token: described(z.string(), 'KEY:SECRET, as it stands in `Authorization: token KEY:SECRET`'),
      }),
      params: {
        title: data({ reqd: true, length: 80 }),
        organization: data({ length: 64 }),
        role: select(organizationRoles),
        scopes: json<string[]>({ reqd: true }),
        expires: datetime(),
      },
      run: (params, context) => create(services, params, context),
    }),
    defineMethod({
      name: 'easydash.api.tokens.revoke',
      access: 'verified',
      verbs: ['POST'],
      description: 'Ends an API token at once, with every connection made with it.',
      returns: z.object({ revoked: z.literal(true) }),
      params: { name: data({ reqd: true, length: 20 }) },
      async run(params, { documents, session }) {
        await documents.runAction(session, 'API Token', params.name, 'revoke', {})
        return { revoked: true } as const
      },
    }),
  ]
}

/** Ends a token's sessions when the token ends, and revokes tokens when their owner leaves. */
export function apiTokenControllers(sessions: Pick<AccountSessions, 'endToken'>): Controller[] {
  return [
    controller(ApiTokenDoctype, {
      actions: {
        async revoke(doc, _args, { tx }) {
          await tx.update(ApiTokenDoctype, doc.name, { enabled: 0 }, { activity: false })
          return null
        },
      },
      async on_update(doc, before, { tx }) {
        if (before.enabled === 1 && doc.enabled !== 1) await sessions.endToken(tx, doc.user, doc.name)
      },
      after_delete: (doc, { tx }) => sessions.endToken(tx, doc.user, doc.name),
    }),
    controller(OrganizationMemberDoctype, {
      // Members who return later start without their old tokens.
      after_delete: (doc, { tx }) => revokeAll(tx, doc.user, doc.parent),
    }),
  ]
}

async function revokeAll(tx: Tx, user: string, organization: string): Promise<void> {
  const open = await tx.list(ApiTokenDoctype, [
    ['organization', '=', organization],
    ['user', '=', user],
    ['enabled', '=', 1],
  ])
  for (const { name } of open) await tx.update(ApiTokenDoctype, name, { enabled: 0 })
}

async function create(
  services: AccountServices,
  params: Record<string, unknown>,
  context: MethodContext,
): Promise<NewApiToken> {
  const { session } = context
  needFreshPassword(session)
  const title = String(params.title ?? '').trim()
  if (title === '') throw new AppError('invalid', msg`Enter a title.`, { field: 'title', excType: 'ValidationError' })
  const scopes = scopesOf(params.scopes)
  const expires = expiryOf(params.expires)
  const organization = String(params.organization ?? session.organization ?? '')
  const apiKey = randomBytes(10).toString('hex')
  const secret = newToken()
  const name = await services.documents().transaction(session, async (tx) => {
    const role = await roleFor(tx, context, organization, params.role)
    const working = await tx.count(ApiTokenDoctype, [
      ['organization', '=', organization],
      ['user', '=', session.user],
      ['enabled', '=', 1],
    ])
    if (working >= MAX_TOKENS) {
      throw new AppError('limit_reached', msg`You have ${MAX_TOKENS} API tokens in this organization.`, {
        nextAction: msg`Revoke one that is not used any more.`,
      })
    }
    const stored = await tx.insert(ApiTokenDoctype, {
      organization,
      user: session.user,
      title,
      role,
      scopes,
      expires,
      api_key: apiKey,
      secret_hash: hashToken(secret),
    })
    await services.mailer.send(
      tx.trx,
      tokenCreatedMail(
        services.config,
        session.user,
        { title, organization, role, scopes, expires },
        requestDetails(services, context),
      ),
    )
    return stored.name
  })
  return { name, api_key: apiKey, api_secret: secret, token: `${apiKey}:${secret}` }
}

/** The requested role, limited to the caller's own. Throws not_found if the caller is not in the organization. */
async function roleFor(
  tx: Tx,
  { session }: MethodContext,
  organization: string,
  wanted: unknown,
): Promise<OrganizationRole> {
  // Locked, so that concurrent creations count each other, and removing the caller waits for the new token and revokes it
  // with the others.
  await lockRights(tx.trx, organization, new Map([[session.user, 'change']]))
  const { roles } = await accessContextIn(tx.trx, session, organization)
  const own = organizationRoles.findIndex((role) => roles.includes(role))
  if (own === -1) throw new AppError('not_found', msg`Organization ${organization.slice(0, 64)} not found`)
  const index = wanted === undefined || wanted === null ? own : organizationRoles.findIndex((role) => role === wanted)
  const role = organizationRoles[index]
  if (role === undefined || index < own) {
    throw new AppError('forbidden', msg`A token cannot have a role above your own.`, {
      field: 'role',
      excType: 'PermissionError',
    })
  }
  return role
}

function scopesOf(value: unknown): TokenScope[] {
  const known = msg`Known scopes: ${Object.keys(tokenScopes)}.`
  const wrong = (message: LocalizedMessage) =>
    new AppError('invalid', message, { field: 'scopes', excType: 'ValidationError', nextAction: known })
  if (!Array.isArray(value)) throw wrong(msg`Scopes must be a list of names.`)
  if (value.length === 0) throw wrong(msg`Choose at least one scope.`)
  const unknown: unknown = value.find((scope) => !isTokenScope(scope))
  if (unknown !== undefined || value.length > 100)
    throw wrong(msg`There is no scope ${JSON.stringify(unknown)?.slice(0, 60)}.`)
  return [...new Set(value.filter(isTokenScope))].toSorted()
}

/** Null, or a time in the future. */
function expiryOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (Date.parse(`${value.replace(' ', 'T')}Z`) > Date.now()) return value
  throw new AppError('invalid', msg`The token would have expired already.`, {
    field: 'expires',
    excType: 'ValidationError',
    nextAction: msg`Choose a time to come (UTC), or none.`,
  })
}
