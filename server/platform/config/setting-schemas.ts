import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { isCidr } from '../network/addresses.ts'
import { parseJson } from '#shared/parse-json.ts'

/** Parses the text of a setting. */
export type SettingSchema<T> = z.ZodType<T, string>

const expectations = z.registry<{ expected: string }>()

/** The second half of "PORT must be …": the expected format. */
export function expectedFormatOf(schema: z.ZodType): string {
  return expectations.get(schema)?.expected ?? 'a valid value'
}

/** Sets the description of the expected text, whichever check of the schema fails. */
export function withExpectedFormat<T>(expected: string, schema: SettingSchema<T>): SettingSchema<T> {
  return schema.register(expectations, { expected })
}

/** A number of digits only. */
const digits = z.string().regex(/^\d+$/).transform(Number)

/** An integer within bounds. */
export const integerBetween = (least: number, most: number) =>
  withExpectedFormat(`a whole number from ${least} to ${most}`, digits.pipe(z.number().min(least).max(most)))

/** A number above 0, fractions allowed. */
export const positiveNumber = withExpectedFormat(
  'a number above 0',
  z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number)
    .pipe(z.number().positive()),
)

/** Any text on one line. */
export const line = withExpectedFormat('text on a single line', z.string().regex(/^[^\r\n\0]*$/))

/** One of the given words. */
export const oneOf = <const Value extends string>(values: readonly Value[]): SettingSchema<Value> =>
  withExpectedFormat(
    values.map((value) => `"${value}"`).join(' or '),
    z.string().transform((text, context) => values.find((value) => value === text) ?? wrong(context)),
  )

/** The absolute path of a folder or file; a relative one starts from `cwd`. */
export const pathFrom = (cwd: string) =>
  withExpectedFormat(
    'a path',
    z
      .string()
      .regex(/^[^\0]*$/)
      .transform((text) => resolve(cwd, text)),
  )

/**
 * A program with its arguments: words separated by spaces, or a JSON array if one of them contains a space. No shell is
 * involved.
 */
export const command = withExpectedFormat(
  'a program with its arguments, or a JSON list of them',
  z
    .string()
    .transform((text) => (text.startsWith('[') ? parseJson(text) : text.split(/\s+/)))
    .pipe(
      z
        .array(z.string().regex(/^[^\0]*$/))
        .refine((words) => (words[0] ?? '') !== '')
        .readonly(),
    ),
)

/** An address or host name to listen on. */
export const host = withExpectedFormat(
  'an IP address or a host name, e.g. 127.0.0.1',
  z.string().refine((text) => isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)),
)

/** A domain name in lowercase, e.g. `localhost` or `sites.example.net`. */
export const domain = withExpectedFormat(
  'a domain name without scheme, port or wildcard, e.g. sites.example.net',
  z
    .string()
    .toLowerCase()
    .max(253)
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/)
    .refine((name) => isIP(name) === 0),
)

/** An http or https origin; returned without a trailing slash. */
export const origin = withExpectedFormat(
  'an address such as https://dash.example.com, without path or user',
  z.string().transform((text, context) => {
    const url = webUrl(text)
    return url?.pathname === '/' && !url.password ? url.origin : wrong(context)
  }),
)

/** An http or https URL that may have a path; returned without a trailing slash. */
export const endpoint = withExpectedFormat(
  'an http or https address without query, e.g. https://api.example.com/v1',
  z.string().transform((text, context) => {
    const url = webUrl(text)
    return url ? trimEnd(url.href, '/') : wrong(context)
  }),
)

/** A URL with one of the given schemes; returned as written. */
export const urlOf = (schemes: readonly string[], example: string) =>
  withExpectedFormat(
    `an address such as ${example}`,
    z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1))),
  )

/** The URL pattern of local sites; `{slug}` is replaced by the site's name. */
export const sitePattern = withExpectedFormat(
  'an address pattern such as https://{slug}.sites.example.net',
  z.string().transform((text, context) => {
    const url = webUrl(text.replace('{slug}', 'blog'))
    const isPattern = url?.hostname.startsWith('blog.') && url.pathname === '/' && text.split('{slug}').length === 2
    return isPattern ? trimEnd(text, '/') : wrong(context)
  }),
)

/** The URL pattern of sites on servers; `{domain}` is replaced by the site's domain. */
export const serverSitePattern = withExpectedFormat(
  'an address pattern such as http://{domain}.localhost:8090',
  z.string().transform((text, context) => {
    const url = webUrl(text.replace('{domain}', 'a.b'))
    const isPattern = url?.hostname.startsWith('a.b') && url.pathname === '/' && text.split('{domain}').length === 2
    return isPattern ? trimEnd(text, '/') : wrong(context)
  }),
)

/** A list separated by commas or spaces. */
export const list = (item: SettingSchema<string>) =>
  withExpectedFormat(
    expectedFormatOf(item),
    z
      .string()
      .transform((text): readonly string[] => text.split(/[\s,]+/).filter(Boolean))
      .pipe(z.array(item).readonly()),
  )

/** IPv4 and IPv6 addresses. */
export const ips = list(
  withExpectedFormat(
    'IP addresses separated by commas',
    z.string().refine((text) => isIP(text) !== 0),
  ),
)

/** CIDR ranges. */
export const cidrs = list(
  withExpectedFormat('address ranges separated by commas, e.g. 10.0.0.0/8,fd00::/8', z.string().refine(isCidr)),
)

/** The sender of emails: `ann@example.com` or `Name <ann@example.com>`. */
export const mailbox = withExpectedFormat(
  'a sender such as Easydash <dash@example.com>',
  z.string().regex(/^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/),
)

/** An OpenSSH public key on one line. */
export const publicKey = withExpectedFormat(
  'an OpenSSH public key, e.g. ssh-ed25519 AAAA… name',
  z
    .string()
    .regex(/^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+={0,2}( [^\r\n]*)?$/),
)

/** Key ring syntax, see `keyring.ts`: `v2:BASE64,v1:BASE64`, 32 bytes each. */
export const keyRing = withExpectedFormat(
  'a key ring such as v2:BASE64,v1:BASE64 with 32 bytes in each key and no version twice',
  z.string().refine((text) => {
    const versions = text.split(',').map((entry) => /^v([1-9]\d{0,5}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim())?.[1])
    return versions.every(Boolean) && new Set(versions).size === versions.length
  }),
)

/** A JSON object with string values, e.g. `{"203.0.113.7:22":"127.0.0.1:2201"}`. */
export const addressMap = withExpectedFormat(
  'JSON such as {"203.0.113.7:22":"127.0.0.1:2201"}',
  z
    .string()
    .transform(parseJson)
    .pipe(z.record(z.string().min(1), z.string().regex(/^.+:\d{1,5}$/)).readonly()),
)

/** The secret key of a Stripe account, or one restricted to what billing needs. */
export const stripeSecretKey = withExpectedFormat(
  'a secret key of Stripe (sk_live_…, rk_live_…, or sk_test_… for tests)',
  z.string().regex(/^[sr]k_(live|test)_[A-Za-z0-9_]+$/),
)

/** The key of a Stripe account that browsers use. */
export const stripePublishableKey = withExpectedFormat(
  'a publishable key of Stripe (pk_live_…, or pk_test_… for tests)',
  z.string().regex(/^pk_(live|test)_[A-Za-z0-9_]+$/),
)

/** The signing secret of one webhook endpoint at Stripe. */
export const stripeWebhookSecret = withExpectedFormat(
  'the signing secret of a webhook of Stripe (whsec_…)',
  z.string().regex(/^whsec_[A-Za-z0-9+/=_-]+$/),
)

/** An http or https URL without query, fragment and username; null for anything else. */
function webUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  return url && isWeb && !url.search && !url.hash && !url.username ? url : null
}

/** Rejects a text; `withExpectedFormat` provides the message. */
function wrong(context: z.core.$RefinementCtx): never {
  context.issues.push({ code: 'custom', input: context.value, message: 'invalid' })
  return z.NEVER
}
