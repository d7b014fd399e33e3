import { checkEmail } from '#shared/rules/formats.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'

/** Maximum emails per call (`invite_members`). */
export const maxInvited = 50

/** An entered or pasted email: lowercased, and whether it is valid. */
export interface TypedAddress {
  email: string
  /** Validation error; null if valid. */
  problem: string | null
}

/**
 * Splits a text into emails, separated by spaces, commas, semicolons or lines; `Ann Berg <ann@example.com>` yields the inner
 * part.
 */
export function splitAddresses(text: string): string[] {
  return text
    .replaceAll(/[^<>,;\n]+(?:<([^<>]*)>)?|<([^<>]*)>/g, (whole, named?: string, alone?: string) => {
      const inner = named ?? alone
      return inner === undefined ? whole : ` ${inner} `
    })
    .split(/[\s,;]+/)
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
}

/** The list with more emails, deduplicated, in order of entry. */
export function withAddresses(before: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...before, ...more])]
}

/** Validates an email with the server's rule. */
export function validateAddress(email: string): TypedAddress {
  const problem = checkEmail(email)
  return { email, problem: problem && messageText(problem) }
}
