import type { AnyDoc } from '#shared/doctype.ts'
import type { Controller, HookContext } from '#server/documents/types.ts'
import { AppError } from '#shared/errors.ts'
import type { AccountSessions } from './sessions.ts'

/** Fields whose change every session of the user must see at once. */
const sessionFacts = ['enabled', 'email_verified', 'roles', 'role_profile_name', 'full_name', 'user_image']

/** Behaviour of accounts: derived names, the User Meta row, sessions that follow. */
export function userController(sessions: AccountSessions): Controller {
  return {
    doctype: 'User',

    async validate(doc, before) {
      doc['first_name'] = oneLine(doc['first_name'])
      doc['last_name'] = oneLine(doc['last_name'])
      doc['full_name'] = [doc['first_name'], doc['last_name']].filter(Boolean).join(' ') || null
      if (before && doc['email'] !== before['email']) {
        throw new AppError('invalid', 'The e-mail address cannot be changed here.', {
          field: 'email',
          excType: 'CannotChangeConstantError',
        })
      }
      if (doc['user_image'] !== null && !isImageAddress(String(doc['user_image']))) {
        throw new AppError('invalid', 'Upload a picture, or enter an address that begins with https://.', {
          field: 'user_image',
          excType: 'ValidationError',
        })
      }
    },

    async after_insert(doc, { tx }) {
      await tx.insert('User Meta', { user: doc.name }, { owner: doc.name })
    },

    async on_update(doc, before, context) {
      if (before['enabled'] === 1 && doc['enabled'] !== 1) await sessions.endAll(context.tx, doc.name)
      if (sessionFacts.some((field) => !sameJson(doc[field], before[field])))
        await sessions.changed(context.tx, doc.name)
    },

    after_delete: (doc, context) => sessions.endAll(context.tx, doc.name),
  }
}

/** A chosen organization counts from the next request on. */
export function userMetaController(sessions: AccountSessions): Controller {
  return {
    doctype: 'User Meta',
    async on_update(doc, before, { tx }) {
      if (doc['current_organization'] !== before['current_organization']) await sessions.changed(tx, doc.name)
    },
  }
}

/** Members who leave or change their role: what their sessions and sockets may do follows. */
export function membershipControllers(sessions: AccountSessions): Controller[] {
  const userOf = (doc: AnyDoc) => String(doc['user'])
  const reread = (doc: AnyDoc, { tx }: HookContext) => sessions.changed(tx, userOf(doc))
  return [
    {
      doctype: 'Organization Member',
      after_insert: reread,
      on_update: (doc, _before, context) => reread(doc, context),
      after_delete: (doc, { tx }) => sessions.lostOrganization(tx, userOf(doc), String(doc['parent'])),
    },
    {
      // The members' rows go with the organization, without hooks of their own.
      doctype: 'Organization',
      async after_delete(doc, { tx }) {
        for (const member of (doc['members'] ?? []) as AnyDoc[])
          await sessions.lostOrganization(tx, userOf(member), doc.name)
      },
    },
  ]
}

/** Names appear in one line everywhere: no line breaks or control characters. */
function oneLine(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim() || null
}

function isImageAddress(value: string): boolean {
  return /^\/(?:private\/)?files\/[^\s\\]+$/.test(value) || (/^https:\/\/[^\s\\]+$/.test(value) && URL.canParse(value))
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
