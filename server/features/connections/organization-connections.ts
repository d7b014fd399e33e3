import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import {
  connectionFields,
  connectionKinds,
  connectionNames,
  type ConnectionName,
} from '#shared/doctypes/connections.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { assertAuthorizedKeys } from '#server/platform/ssh/authorized-keys.ts'
import { allowIncomplete } from './connection-controller.ts'
import { defaultOf } from './stored-connections.ts'
import { testConnection, type TestDeps } from './test-connection.ts'

/** The organization's own fields and actions for connections, which are about the default one of a kind, and its SSH keys. */
export function organizationConnections(deps: TestDeps): Controller {
  return controller(OrganizationDoctype, {
    async validate(doc, before) {
      if (doc.default_authorized_keys !== (before?.default_authorized_keys ?? null))
        assertAuthorizedKeys(doc, 'default_authorized_keys')
    },
    after_insert: (doc, context) => writeDefaults(doc, null, context),
    on_update: writeDefaults,
    actions: {
      async test_connection(doc, { connection: name, only_given, ...typed }, { tx }) {
        const connection = only_given === 1 ? null : await defaultOf(tx, doc.name, connectionKinds[name])
        return testConnection(deps, tx, { organization: doc.name, name, connection, typed })
      },

      async clear_credentials({ name: organization }, { credentials }, { tx }) {
        allowIncomplete(tx)
        if (credentials === 'auth')
          await tx.update(OrganizationDoctype, organization, { client_id: null, client_secret: null })
        else
          for (const connection of await tx.list(ConnectionDoctype, [
            ['organization', '=', organization],
            ['kind', '=', connectionKinds[credentials]],
          ]))
            await removeOrEmpty(tx, connection, credentials)
        return null
      },
    },
  })
}

/** Writes the fields that changed to the default connections, which are created with their first value and end with the last. */
async function writeDefaults(doc: Organization, before: Organization | null, { tx }: HookContext): Promise<void> {
  for (const name of connectionNames) {
    const changed = connectionFields[name].filter((field) => (doc[field] ?? null) !== (before?.[field] ?? null))
    if (changed.length === 0) continue
    allowIncomplete(tx)
    const values = Object.fromEntries(changed.map((field) => [field, doc[field]]))
    const kind = connectionKinds[name]
    const connection = await defaultOf(tx, doc.name, kind)
    // The entry in the activity log is that of the organization.
    const activity = false
    if (!connection) await tx.insert(ConnectionDoctype, { organization: doc.name, kind, ...values }, { activity })
    else {
      const now = await tx.update(ConnectionDoctype, connection.name, values, { activity })
      if (connectionFields[name].every((field) => now[field] === null)) await removeOrEmpty(tx, now, name)
    }
  }
}

/** Deletes a connection, unless servers or sites use it: then it loses its credentials. */
async function removeOrEmpty(tx: Tx, connection: Connection, name: ConnectionName): Promise<void> {
  const activity = false
  const users: FilterTriple[] = [['connection', '=', connection.name]]
  const used = (await tx.count(ServerDoctype, users)) + (await tx.count(WpcSiteDoctype, users))
  if (used === 0) return tx.delete(ConnectionDoctype, connection.name, { activity })
  const empty = Object.fromEntries(connectionFields[name].map((field) => [field, null]))
  await tx.update(ConnectionDoctype, connection.name, empty, { activity })
}
