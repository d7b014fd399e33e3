import { sql } from 'kysely'
import { accountActivity } from '../account-activity.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { sessionRow, type SessionRow } from '#shared/responses/sessions.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { countryOf } from '#shared/rules/countries.ts'
import { msg } from '#shared/localized-message.ts'
import { impersonate } from './impersonation.ts'
import { notExpired } from './session-end.ts'
import { deviceName, deviceOf } from '../sign-in/device-name.ts'
import type { AccountServices } from '../account-services.ts'

/** Methods for listing and ending the caller's own sessions. */
export function sessionMethods(services: AccountServices): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.sessions.list',
      access: 'self',
      verbs: ['GET', 'POST'],
      description: "The caller's own sessions, the current one first, then the last used.",
      returns: z.array(sessionRow),
      run: (_params, context) => list(services, context),
    }),
    defineMethod({
      name: 'easydash.api.sessions.end',
      access: 'self',
      verbs: ['POST'],
      description: "Ends one of the caller's sessions, with its connections, in every process within five seconds.",
      params: { id: data({ reqd: true, length: 64 }) },
      returns: z.object({ ended: z.int() }),
      run: ({ id }, context) => end(services, String(id), context),
    }),
    defineMethod({
      name: 'easydash.api.sessions.end_others',
      access: 'self',
      verbs: ['POST'],
      description: "Ends all of the caller's sessions but this one.",
      returns: z.object({ ended: z.int() }),
      async run(_params, context) {
        const { user, id } = context.session
        return services.documents().transaction(impersonate(user, context), async (tx) => {
          const ended = await services.sessions.endAll(tx, user, id)
          if (ended > 0) await tx.activity(accountActivity('account.end_sessions', user, { after: { ended } }))
          return { ended }
        })
      },
    }),
  ]
}

interface Row {
  id: string
  lineage: string
  ip: string | null
  user_agent: string | null
  created_ms: number
  used_ms: number
  issuer: string | null
}

async function list(services: AccountServices, { session }: MethodContext): Promise<SessionRow[]> {
  const { rows } = await sql<Row>`select id, lineage, ip, user_agent,
      (extract(epoch from created) * 1000)::float8 as created_ms, (extract(epoch from last_used) * 1000)::float8 as used_ms,
      (select issuer from easydash_provider_link link where link.id = session.provider_link) as issuer
    from easydash_session session where "user" = ${session.user} and ended is null and ${notExpired}
    order by (id = ${session.id}) desc, last_used desc, id limit 200`.execute(services.database.db)
  return rows.map((row) => {
    const device = deviceOf(row.user_agent)
    const code = services.countries.codeOf(row.ip)
    return {
      // The session id changes when the cookie is rotated; the lineage does not.
      id: row.lineage,
      current: row.id === session.id,
      device: deviceName(device),
      browser: device.browser,
      os: device.os,
      ip: row.ip,
      country_code: code,
      country: countryOf(code)?.name ?? '',
      created: formatTimestamp(row.created_ms),
      last_used: formatTimestamp(row.used_ms),
      login_provider: row.issuer === null ? null : new URL(row.issuer).host,
    }
  })
}

async function end(services: AccountServices, lineage: string, context: MethodContext): Promise<{ ended: number }> {
  const { user } = context.session
  const row = await services.documents().transaction(impersonate(user, context), async (tx) => {
    const { rows } = await sql<{ id: string }>`select id from easydash_session
      where "user" = ${user} and lineage = ${lineage} and ended is null and ${notExpired} for update`.execute(tx.trx)
    const found = rows[0]
    // Somebody else's session is reported like one that does not exist.
    if (!found) throw new AppError('not_found', msg`This session has ended already.`)
    await services.sessions.endOne(tx, user, lineage)
    await tx.activity(accountActivity('account.end_session', user))
    return found
  })
  if (row.id === context.session.id) await context.signOut()
  return { ended: 1 }
}
