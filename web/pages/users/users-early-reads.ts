import { call } from '#web/lib/api/api.ts'
import { methodKey } from '#web/lib/api/data-keys.ts'
import { keepEarlyRead } from '#web/lib/api/early-reads.ts'
import type { Arrival } from '#web/lib/routing/route-match.ts'
import { askFor, peopleMethod } from './people-reads.ts'

/** Starts what the list of users shows: members and invitations. */
export function readUsersEarly({ session: { organization } }: Arrival): void {
  if (organization === null) return
  for (const method of ['list_members', 'list_invitations'] as const) {
    const params = askFor(organization.name, method)
    keepEarlyRead(methodKey(peopleMethod, params), call(peopleMethod, params))
  }
}
