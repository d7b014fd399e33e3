import type { Session } from '#server/contracts/session.ts'

/** Our own work in the name of a person who has no session (yet): the owner of new rows and the actor of activities. */
export function impersonate(user: string, client: { ip: string | null; via?: Session['via'] }): Session {
  return {
    user,
    kind: 'system',
    organization: null,
    platformAdmin: false,
    verified: true,
    fullName: user,
    via: client.via ?? 'web',
    ip: client.ip,
    id: null,
    reauthAt: null,
  }
}

/** An address as accounts are named: without spaces around it and in lower case, so that nobody has two. */
export function accountName(email: unknown): string {
  return typeof email === 'string' ? email.trim().toLowerCase() : ''
}
