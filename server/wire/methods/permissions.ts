import * as z from 'zod/mini'
import { messageDescriptor } from '#shared/schema.ts'
import { data } from '#shared/fields.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'

/** Explains permission decisions, under its full and its short name. */
export const permissionMethods: readonly Method[] = ['easydash.api.permissions.explain', 'explain_permission'].map(
  (name) =>
    defineMethod({
      name,
      description:
        'Which rule allows or denies an operation, in words. You can ask about yourself; the owner and admins can ask about any member.',
      access: 'self',
      tokens: 'any',
      verbs: ['GET', 'POST'],
      params: {
        doctype: data({ reqd: true }),
        name: data({ length: 300 }),
        operation: data({ reqd: true, description: 'read, create, write, delete or an action of the doctype' }),
        user: data({ length: 254, description: 'Email of a member; the caller when absent' }),
      },
      returns: z.object({ allowed: z.boolean(), rule: z.string(), text: z.string(), text_i18n: messageDescriptor }),
      run: ({ doctype, operation, name: document = null, user = null }, { session, documents }) =>
        documents.explain(session, { doctype, name: document, operation, user }),
    }),
)
