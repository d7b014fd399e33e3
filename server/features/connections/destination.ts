import type { AnyDoc } from '#shared/doctype.ts'
import { msg } from '#shared/localized-message.ts'
import type { ConnectionTestResult, ConnectionTest, ConnectionValues } from './connection-test.ts'

/**
 * Secrets for an organization-chosen host are sent only to that host: changing the host requires entering them again.
 * Otherwise anyone who can change settings could send unreadable secrets to their own host.
 */

function hostOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : ''
  return URL.canParse(text) ? new URL(text).origin : text
}

/** Values for a test: entered values override stored ones, but stored secrets are never used for a different host. */
export function valuesToTest(
  connectionTest: ConnectionTest,
  stored: ConnectionValues,
  typed: ConnectionValues,
): ConnectionValues {
  const values = { ...stored, ...typed }
  const { destination } = connectionTest
  if (!destination || hostOf(values[destination.field]) === hostOf(stored[destination.field])) return values
  const kept = destination.secrets.filter((field) => typed[field] === undefined)
  return { ...values, ...Object.fromEntries(kept.map((field) => [field, ''])) }
}

/** The result if a changed host leaves the test without secrets; null if secrets are available or were never stored. */
export function missingSecretsResult(
  connectionTest: ConnectionTest,
  stored: ConnectionValues,
  values: ConnectionValues,
): ConnectionTestResult | null {
  const stayed = connectionTest.destination?.secrets.some((field) => stored[field] !== '' && values[field] === '')
  if (stayed !== true) return null
  return {
    outcome: 'missing',
    message: msg`${connectionTest.vendor} has another address now: the stored keys are not sent there.`,
    advice: msg`Enter the keys for this address as well.`,
    status: null,
  }
}

/** Clears secrets that were not entered together with a new host; unchanged secrets are the same mask in both documents. */
export function clearSecretsOnHostChange(connectionTest: ConnectionTest, doc: AnyDoc, before: AnyDoc | null): void {
  const { destination } = connectionTest
  if (!destination || hostOf(doc[destination.field]) === hostOf(before?.[destination.field])) return
  for (const field of destination.secrets) if (doc[field] === before?.[field]) doc[field] = null
}
