import { checkEmail } from '#shared/rules/formats.ts'
import { spoken } from '#web/lib/i18n/catalogue.ts'

/** Most addresses of one call (`invite_members`). */
export const mostInvited = 50

/** A typed or pasted address: lower case, and whether it can be one. */
export interface TypedAddress {
  email: string
  /** What is wrong with it; null when nothing is. */
  problem: string | null
}

/** The addresses of a text: separated by spaces, commas, semicolons or lines; `Ann Berg <ann@example.com>` gives the inner part. */
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

/** The list with more addresses, each once, in the order in which they came. */
export function withAddresses(before: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...before, ...more])]
}

/** Judges an address by the rule of the server. */
export function judge(email: string): TypedAddress {
  const problem = checkEmail(email)
  return { email, problem: problem && spoken(problem) }
}
