import * as z from 'zod/mini'
import type { Action } from '../doctype.ts'
import { described, nothing, person, timestamp, type ResponseSchema } from '../schema.ts'
import { planChange } from './billing.ts'
import { connectionCheck } from './connections.ts'
import { listedInvitations } from './invitations.ts'
import { filesFolder } from './files-folder.ts'
import { listedMembers } from './members.ts'
import { sharedWith } from './sharing.ts'

/**
 * What actions return, by the name that a doctype gives as `returns`. Doctypes only name the schemas because their
 * descriptions are part of the web app, which has no use for a schema.
 */
const actionResponses: Readonly<Record<string, ResponseSchema>> = {
  Addresses: z.array(person),
  ConnectionCheck: connectionCheck,
  FilesFolder: filesFolder,
  InvitationLink: z.object({ link: z.string() }),
  InvitedConfirmed: z.object({
    link: described(
      z.nullable(z.string()),
      'Where the person chooses a new password, if the address was signed up with different ones; to be passed on',
    ),
  }),
  InvitationSent: z.object({ expires: z.nullable(timestamp) }),
  Invitations: listedInvitations,
  Members: listedMembers,
  Modules: z.object({ ee: z.boolean(), wpc: z.boolean() }),
  Nothing: nothing,
  Owner: z.object({ owner: person }),
  People: z.array(z.object({ user: person, full_name: z.nullable(person) })),
  PlanChange: planChange,
  RevealedValue: z.object({ value: described(z.nullable(z.string()), 'In clear; null when it is not set') }),
  ServerAccessToken: z.object({
    server_access_token: described(z.string(), 'Shown this one time'),
    server_access_token_made: timestamp,
  }),
  Share: sharedWith,
  Shares: z.array(sharedWith),
}

/** Response schema of an action; undefined if it declares none. Throws if there is no schema of the declared name. */
export function actionResponse({ returns }: Action): ResponseSchema | undefined {
  if (returns === undefined) return undefined
  const schema = Object.hasOwn(actionResponses, returns) ? actionResponses[returns] : undefined
  if (!schema) throw new Error(`shared/responses/actions.ts has no schema ${returns}.`)
  return schema
}
