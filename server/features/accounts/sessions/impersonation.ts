import type { Session } from '#server/contracts/session.ts'

/** A system session that acts for a user without a session (yet): owner of new rows and actor of activities. */
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

/** An email address as account name: trimmed and lowercased, so that nobody has two accounts for one address. */
export function accountName(email: unknown): string {
  return typeof email === 'string' ? email.trim().toLowerCase() : ''
}
