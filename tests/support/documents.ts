/** A document store on a fresh database, with an organization. */
import { schemaVersion } from '#server/tables.ts'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { runMigrations } from '#server/platform/database/migrations.ts'
import { createDocuments, documentTables, type DocumentsOptions } from '#server/documents/documents.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type { TestDatabase } from './database.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { idleActions } from './idle-actions.ts'

/** Document store, database and sessions. */
export interface TestDocuments {
  documents: OpenDocuments
  test: Pick<TestDatabase, 'database' | 'drop'>
  system: Session
  /** Creates an organization owned by `owner@SLUG.example`; add other roles with `member`. */
  organization(slug: string): Promise<void>
  /** Adds a user with a role and returns their session. */
  member(slug: string, user: string, role: string): Promise<Session>
  close(): Promise<void>
}

/** A session like the session store would build it. */
export function sessionOf(user: string, organization: string | null, extra: Partial<Session> = {}): Session {
  return {
    user,
    organization,
    kind: 'cookie',
    platformAdmin: false,
    verified: true,
    fullName: user,
    via: 'web',
    ip: '127.0.0.1',
    id: `session-of-${user}`,
    reauthAt: null,
    ...extra,
  }
}

/** The same session with a password that was just confirmed. */
export const withPassword = (session: Session): Session => ({ ...session, reauthAt: Date.now() })

/** Options of `createTestDocuments`. */
export interface TestDocumentsOptions {
  extra?: readonly Doctype[]
  controllers?: readonly Controller[]
  spendBytes?: DocumentsOptions['spendBytes']
}

/** Opens a store over all doctypes (and the given additional ones). */
export async function createTestDocuments(options: TestDocumentsOptions = {}): Promise<TestDocuments> {
  // Imported lazily: benchmarks, which bring their own database, run outside the test runner this depends on.
  return documentsOn(await (await import('./database.ts')).createProductDatabase(), options)
}

/** Like `createTestDocuments`, on a given empty database. */
export async function documentsOn(
  test: Pick<TestDatabase, 'database' | 'drop'>,
  options: TestDocumentsOptions = {},
): Promise<TestDocuments> {
  const types = [...doctypes, ...(options.extra ?? [])]
  await runMigrations(test.database, {
    schemaVersion,
    additive: (trx) => documentTables(trx as never, types),
  })
  const controllers = options.controllers ?? []
  const documents = await createDocuments({
    database: test.database,
    doctypes: types,
    controllers: [...controllers, ...idleActions(types, controllers)],
    // Reversible but visibly different from the text: enough to verify that nothing is stored in plain text.
    secrets: {
      seal: async (_scope, aad, text) => `sealed:${Buffer.from(`${aad}\n${text}`).toString('base64')}`,
      open: async (_scope, aad, sealed) => {
        const [storedAad, text] = Buffer.from(sealed.slice('sealed:'.length), 'base64').toString().split('\n')
        if (storedAad !== aad) throw new Error('sealed for another field')
        return text as string
      },
    },
    mask: (value) => value,
    log: silentLog,
    ...(options.spendBytes ? { spendBytes: options.spendBytes } : {}),
  })
  const system = sessionOf('System', null, { kind: 'system', via: 'schedule', id: null })
  const ensureUser = async (email: string) =>
    documents.transaction(system, async (tx) => {
      if (!(await tx.get(UserDoctype, email)))
        await tx.insert(UserDoctype, { email, first_name: email.split('@')[0], full_name: email.split('@')[0] })
    })
  const member: TestDocuments['member'] = async (slug, user, role) => {
    await ensureUser(user)
    await documents.transaction(system, (tx) =>
      tx.insert('Organization Member', {
        parent: slug,
        parentfield: 'members',
        parenttype: 'Organization',
        user,
        organization_role: role,
      }),
    )
    return sessionOf(user, slug)
  }
  return {
    documents,
    test,
    system,
    member,
    async organization(slug) {
      const owner = `owner@${slug}.example`
      await ensureUser(owner)
      await documents.transaction(system, (tx) => tx.insert(OrganizationDoctype, { slug, title: slug, _owner: owner }))
      await member(slug, owner, 'Organization Admin')
    },
    async close() {
      await documents.close()
      await test.drop()
    },
  }
}
