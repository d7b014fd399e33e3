import type { AnyDoc } from '#shared/doctype.ts'
import { say } from '#shared/sentence.ts'
import type { Found, Probe, ProbeValues } from './probe.ts'

/**
 * Where an organization says itself to which host its secrets go, they go only there: who changes the host enters them
 * anew. Otherwise everybody who may change the settings would read what nobody may read, on a host of his own.
 */

function hostOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : ''
  return URL.canParse(text) ? new URL(text).origin : text
}

/** Values for a test: typed ones before stored ones, no stored secret for another host than the stored one. */
export function valuesToTest(probe: Probe, stored: ProbeValues, typed: ProbeValues): ProbeValues {
  const values = { ...stored, ...typed }
  const { destination } = probe
  if (!destination || hostOf(values[destination.field]) === hostOf(stored[destination.field])) return values
  const kept = destination.secrets.filter((field) => typed[field] === undefined)
  return { ...values, ...Object.fromEntries(kept.map((field) => [field, ''])) }
}

/** Why a test of another host has nothing to ask with; null when it has, or when secrets are missing anyhow. */
export function secretsStayed(probe: Probe, stored: ProbeValues, values: ProbeValues): Found | null {
  const stayed = probe.destination?.secrets.some((field) => stored[field] !== '' && values[field] === '')
  if (stayed !== true) return null
  return {
    outcome: 'missing',
    message: say`${probe.vendor} has another address now: the stored keys are not sent there.`,
    advice: say`Enter the keys for this address as well.`,
    status: null,
  }
}

/** With another host the secrets that were not entered with it are emptied; they are masks in both documents then. */
export function forgetForOtherHost(probe: Probe, doc: AnyDoc, before: AnyDoc | null): void {
  const { destination } = probe
  if (!destination || hostOf(doc[destination.field]) === hostOf(before?.[destination.field])) return
  for (const field of destination.secrets) if (doc[field] === before?.[field]) doc[field] = null
}
