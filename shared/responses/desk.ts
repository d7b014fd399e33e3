import * as z from 'zod/mini'
import { bit } from '../schema.ts'

/** Rows as lists of values, with their keys (`frappe.desk.reportview.get`). */
export const reportPage = z.object({
  keys: z.array(z.string()),
  values: z.array(z.array(z.unknown())),
  user_info: z.record(z.string(), z.unknown()),
})

/** Documents to link to (`frappe.desk.search.search_link`). */
export const linkSuggestions = z.array(
  z.object({ value: z.string(), label: z.optional(z.string()), description: z.string() }),
)

/** A document to link to: its name, and its title if that is another one. */
export type LinkSuggestion = z.infer<typeof linkSuggestions>[number]

/** The caller's rights on a document (`frappe.client.get_doc_permissions`). */
export const documentPermissions = z.object({
  permissions: z.object({
    read: bit,
    write: bit,
    create: bit,
    delete: bit,
    share: bit,
    submit: bit,
  }),
})
