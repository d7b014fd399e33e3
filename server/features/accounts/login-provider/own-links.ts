import { sql } from 'kysely'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { ownLoginLinks, unlinked, type OwnLoginLink } from '#shared/responses/login-provider.ts'
import type { AccountServices } from '../account-services.ts'
import { impersonate } from '../sessions/impersonation.ts'
import { removeLinks } from './provider-links.ts'

/** Methods for seeing and removing the caller's own links to login providers. */
export function ownLinkMethods(services: AccountServices): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.login_provider.links',
      access: 'self',
      verbs: ['GET', 'POST'],
      description: 'The login providers that the caller logs in through.',
      returns: ownLoginLinks,
      run: (_params, context) => list(services, context),
    }),
    defineMethod({
      name: 'easydash.api.login_provider.unlink',
      access: 'self',
      verbs: ['POST'],
      description:
        "Removes the caller's link to the login provider of an organization, and ends the sessions that began through it. The next login there links again.",
      params: { organization: data({ reqd: true, length: 140 }) },
      returns: unlinked,
      run: ({ organization }, context) => unlink(services, String(organization), context),
    }),
  ]
}

async function list(services: AccountServices, context: MethodContext): Promise<OwnLoginLink[]> {
  const { user } = context.session
  return services.documents().transaction(impersonate(user, context), async (tx) => {
    const { rows } = await sql<{ organization: string; issuer: string; linked_ms: number; used_ms: number | null }>`
      select organization, issuer, (extract(epoch from created) * 1000)::float8 as linked_ms,
        (extract(epoch from last_used) * 1000)::float8 as used_ms
      from easydash_provider_link where "user" = ${user} order by organization limit 100`.execute(tx.trx)
    const links: OwnLoginLink[] = []
    for (const { organization, issuer, linked_ms, used_ms } of rows) {
      const found = await tx.get(OrganizationDoctype, organization)
      links.push({
        organization,
        title: found?.title ?? organization,
        host: new URL(issuer).host,
        linked: formatTimestamp(linked_ms),
        last_used: used_ms === null ? null : formatTimestamp(used_ms),
      })
    }
    return links
  })
}

async function unlink(services: AccountServices, organization: string, context: MethodContext) {
  const { user, loginProvider } = context.session
  await services.documents().transaction(impersonate(user, context), async (tx) => {
    if ((await removeLinks(services.sessions, tx, { organization, user })) === 0)
      throw new AppError('not_found', msg`Your account is not linked to this login provider.`)
    const found = await tx.get(OrganizationDoctype, organization)
    await tx.activity({
      action: 'account.unlink_provider',
      actor: user,
      organization,
      reference_doctype: 'Organization',
      reference_name: organization,
      reference_title: found?.title ?? organization,
    })
  })
  const isOver = loginProvider === organization
  if (isOver) await context.signOut()
  return { logged_out: isOver }
}
