import { call } from '#web/lib/api/api.ts'
import { methodKey } from '#web/lib/api/data-keys.ts'
import { keepEarlyRead } from '#web/lib/api/early-reads.ts'
import type { Arrival } from '#web/lib/routing/route-match.ts'
import { peopleReads } from './people-reads.ts'

/** Starts what the list of users shows: members and invitations. */
export function readUsersEarly({ session: { organization } }: Arrival): void {
  if (organization === null) return
  const { method, members, invitations } = peopleReads(organization.name)
  for (const params of [members, invitations]) keepEarlyRead(methodKey(method, params), call(method, params))
}
