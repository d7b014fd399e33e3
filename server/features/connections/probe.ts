import type { FetchAnswer, FetchOptions } from '#server/platform/network/fetch.ts'
import { AppError } from '#shared/errors.ts'
import type { ConnectionCheck, ConnectionName } from '#shared/doctypes/connections.ts'
import type { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { partsOf, plural, say, type Sentence } from '#shared/sentence.ts'

/** What a probe found out. */
export interface Found extends Pick<ConnectionCheck, 'outcome' | 'status'> {
  /** Values may be words of the vendor, never a credential. */
  readonly message: Sentence
  readonly advice: Sentence | null
}

/** A field of the organization. */
export type OrganizationField = keyof typeof OrganizationDoctype.fields

/** Values of the organization's fields by name, trimmed; '' where nothing is set. */
export type ProbeValues = Readonly<Record<string, string>>

/** Base addresses of the vendors: settings of the operator, else the vendors' own. Without a slash at the end. */
export interface VendorEndpoints {
  readonly hetzner: string
  readonly digitalocean: string
  readonly awsEc2: string
  /** Null: the store of the bucket's region at AWS. */
  readonly awsS3: string | null
  readonly wpcloud: string
  readonly github: string
  readonly slack: string
}

/** What a probe works with. */
export interface ConnectionTestContext {
  readonly endpoints: VendorEndpoints
  /** Addresses we connect from, for vendors that allow single ones. */
  readonly egressIps: readonly string[]
  readonly now: () => Date
  /** One request. `tenant`: the organization chose the address. Throws AppError `unavailable`, `invalid`, `too_large`. */
  ask(url: URL, options: Pick<FetchOptions, 'method' | 'headers' | 'body'> & { tenant?: boolean }): Promise<FetchAnswer>
}

/** The cheapest authenticated read at one vendor. */
export interface Probe {
  readonly name: ConnectionName
  /** How people call the vendor: a name, or words for it. */
  readonly vendor: string | Sentence
  /** Fields of the organization it needs, secret ones among them. */
  readonly fields: readonly OrganizationField[]
  /** Those without which nothing is asked. */
  readonly required: readonly OrganizationField[]
  /** The field in which the organization names the host, and the secrets that go there. */
  readonly destination?: { readonly field: string; readonly secrets: readonly string[] }
  /** May throw what `ask` throws. */
  run(values: ProbeValues, room: ConnectionTestContext): Promise<Found>
}

/** What was found out, as it is answered and stored: its sentences in English and in parts. */
export function checkOf(
  { outcome, message, advice, status }: Found,
  test: Pick<ConnectionCheck, 'took_ms' | 'checked_at' | 'stored'>,
): ConnectionCheck {
  return {
    outcome,
    message: message.text,
    message_parts: partsOf(message),
    advice: advice && advice.text,
    advice_parts: advice && partsOf(advice),
    status,
    ...test,
  }
}

/** The vendor answered as hoped. */
export const works = (message: Sentence, answer: FetchAnswer): Found => ({
  outcome: 'ok',
  message,
  advice: null,
  status: answer.status,
})

/** The body as JSON object; null when it is something else. */
export function jsonOf(answer: FetchAnswer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    // Not JSON is an answer like another here: the caller says that it was not understood.
    return null
  }
}

/** A part of an answer as object, `{}` when it is none. */
export const partOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** A vendor's text made fit to be shown: one line, short, no control characters. '' for anything else. */
export function vendorText(value: unknown): string {
  if (typeof value !== 'string') return ''
  const line = value.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

const seconds = (answer: FetchAnswer) => {
  const wait = Number(answer.headers['retry-after'])
  return Number.isInteger(wait) && wait > 0 ? wait : null
}

/** What an answer that is no success means by its status; `said` is the vendor's own sentence. */
export function refusal(probe: Pick<Probe, 'vendor'>, answer: FetchAnswer, said = ''): Found {
  const { vendor } = probe
  const { status } = answer
  const mute = said === ''
  if (status === 401)
    return {
      outcome: 'wrong_key',
      message: mute
        ? say`${vendor} does not accept the key (401).`
        : say`${vendor} does not accept the key (401): “${said}”.`,
      advice: say`It was revoked, has expired or was not copied whole. Make a new one and enter it here.`,
      status,
    }
  if (status === 403)
    return {
      outcome: 'wrong_scope',
      message: mute
        ? say`${vendor} knows the key, but it may not do this (403).`
        : say`${vendor} knows the key, but it may not do this (403): “${said}”.`,
      advice: say`Give the key read and write rights, or make a new one that has them.`,
      status,
    }
  if (status === 429) return limited(probe, answer)
  if (status >= 500)
    return {
      outcome: 'unexpected',
      message: mute
        ? say`${vendor} has a problem of its own (${status}).`
        : say`${vendor} has a problem of its own (${status}): “${said}”.`,
      advice: say`Nothing is wrong here. Try again later.`,
      status,
    }
  return {
    outcome: 'unexpected',
    message: mute
      ? say`${vendor} gave an answer that was not understood (${status}).`
      : say`${vendor} gave an answer that was not understood (${status}): “${said}”.`,
    advice: say`Try again. If it stays, check the address and the key.`,
    status,
  }
}

/** Asked too often. */
export function limited(probe: Pick<Probe, 'vendor'>, answer: FetchAnswer): Found {
  const wait = seconds(answer)
  return {
    outcome: 'rate_limited',
    message: say`${probe.vendor} was asked too often with this key.`,
    advice:
      wait === null
        ? say`Wait some minutes, then test again.`
        : plural(wait, say`Wait ${wait} second, then test again.`, say`Wait ${wait} seconds, then test again.`),
    status: answer.status,
  }
}

/** A success whose content is not what the vendor describes. */
export function notUnderstood(probe: Pick<Probe, 'vendor'>, answer: FetchAnswer): Found {
  return {
    outcome: 'unexpected',
    message: say`${probe.vendor} gave an answer that was not understood (${answer.status}).`,
    advice: say`Something between here and there may have answered in its place. Try again later.`,
    status: answer.status,
  }
}

/** Credentials that cannot be what they should be, known without asking. */
export const wrongKey = (message: Sentence): Found => ({
  outcome: 'wrong_key',
  message,
  advice: say`Copy it again, whole and without anything around it.`,
  status: null,
})

/** What came of a request that got no answer. Anything but a failed connection is a defect and goes on. */
export function noAnswer(probe: Pick<Probe, 'vendor' | 'destination'>, error: unknown): Found {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'too_large')
    return {
      outcome: 'unexpected',
      message: say`${probe.vendor} gave an answer that was far too long.`,
      advice: say`Something between here and there may have answered in its place. Try again later.`,
      status: null,
    }
  // What is wrong with the address itself is said. Beyond that every address is answered alike, whether its name is
  // unknown, leads inside the network, or nobody listens there.
  if (error.code === 'invalid')
    return {
      outcome: 'unreachable',
      message: say`${probe.vendor} was not reached: ${error.sentence}`,
      advice: error.nextAction ?? say`Check the address, then try again.`,
      status: null,
    }
  return {
    outcome: 'unreachable',
    message: say`${probe.vendor} was not reached.`,
    advice: probe.destination
      ? say`Check the address: it must lead to a public server. Then try again.`
      : say`Check that this server may connect to the internet, then try again.`,
    status: null,
  }
}
