import { isAbsolute, resolve } from 'node:path'
import { isIP } from 'node:net'
import { isCidr } from './addresses.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/**
 * Reads the text of one setting. Throws `Expected` with what a person should have written; the caller adds the name.
 * `cwd` is the folder relative paths start from.
 */
export type Parser<T> = (text: string, cwd: string) => T

/** Thrown by parsers: the second half of "PORT must be …". */
export class Expected extends Error {}

const fail = (expected: string): never => {
  throw new Expected(expected)
}

/** A whole number within bounds. */
export const whole =
  (least: number, most: number): Parser<number> =>
  (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return number >= least && number <= most ? number : fail(`a whole number from ${least} to ${most}`)
  }

/** A number above 0, fractions allowed. */
export const positive: Parser<number> = (text) => {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return number > 0 && Number.isFinite(number) ? number : fail('a number above 0')
}

/** Any text on one line. */
export const line: Parser<string> = (text) => (/[\r\n\0]/.test(text) ? fail('text on a single line') : text)

/** One of a few words. */
export const oneOf =
  <Word extends string>(words: readonly Word[]): Parser<Word> =>
  (text) =>
    words.find((word) => word === text) ?? fail(words.map((word) => `"${word}"`).join(' or '))

/** A folder or file as absolute path. */
export const path: Parser<string> = (text, cwd) =>
  text.includes('\0') ? fail('a path') : isAbsolute(text) ? resolve(text) : resolve(cwd, text)

/** A program with its arguments: words separated by spaces, or a JSON list where one of them holds a space. No shell reads it. */
export const command: Parser<readonly string[]> = (text) => {
  const words = text.startsWith('[') ? parseJson(text) : text.split(/\s+/)
  const good =
    Array.isArray(words) &&
    words.length > 0 &&
    words.every((word): word is string => typeof word === 'string' && !word.includes('\0')) &&
    words[0] !== ''
  return good ? Object.freeze(words) : fail('a program with its arguments, or a JSON list of them')
}

/** An address or host name to listen on. */
export const host: Parser<string> = (text) =>
  isIP(text) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)
    ? text
    : fail('an IP address or a host name, e.g. 127.0.0.1')

/** A domain name in lower case, e.g. `localhost` or `sites.example.net`. */
export const domain: Parser<string> = (text) => {
  const name = text.toLowerCase()
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  return new RegExp(`^${label}(\\.${label})*$`).test(name) && name.length <= 253 && isIP(name) === 0
    ? name
    : fail('a domain name without scheme, port or wildcard, e.g. sites.example.net')
}

/** An http or https origin; comes back without a trailing slash. */
export const origin: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain =
    url &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.pathname === '/' &&
    !url.search &&
    !url.hash &&
    !url.username &&
    !url.password
  return url && plain ? url.origin : fail('an address such as https://dash.example.com, without path or user')
}

/** An http or https address that may have a path; comes back without a trailing slash. */
export const endpoint: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain =
    url && (url.protocol === 'http:' || url.protocol === 'https:') && !url.search && !url.hash && !url.username
  return url && plain
    ? trimEnd(url.href, '/')
    : fail('an http or https address without query, e.g. https://api.example.com/v1')
}

/** A URL with one of the schemes; kept as written. */
export const urlOf =
  (schemes: readonly string[], example: string): Parser<string> =>
  (text) =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1))
      ? text
      : fail(`an address such as ${example}`)

/** The address pattern of local sites; `{slug}` stands for the site's name. */
export const sitePattern: Parser<string> = (text) => {
  const url = URL.canParse(text.replace('{slug}', 'blog')) ? new URL(text.replace('{slug}', 'blog')) : null
  const good =
    url &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.hostname.startsWith('blog.') &&
    text.split('{slug}').length === 2 &&
    url.pathname === '/' &&
    !url.search &&
    !url.hash &&
    !url.username
  return good ? trimEnd(text, '/') : fail('an address pattern such as https://{slug}.sites.example.net')
}

/** A list separated by commas or spaces. */
export const list =
  (item: Parser<string>): Parser<readonly string[]> =>
  (text, cwd) =>
    Object.freeze(
      text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((part) => item(part, cwd)),
    )

/** One IPv4 or IPv6 address. */
export const ip: Parser<string> = (text) => (isIP(text) ? text : fail('IP addresses separated by commas'))

/** One address range. */
export const cidr: Parser<string> = (text) =>
  isCidr(text) ? text : fail('address ranges separated by commas, e.g. 10.0.0.0/8,fd00::/8')

/** The sender of mails: `ann@example.com` or `Name <ann@example.com>`. */
export const mailbox: Parser<string> = (text) =>
  /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text)
    ? text
    : fail('a sender such as Easydash <dash@example.com>')

/** An OpenSSH public key on one line. */
export const publicKey: Parser<string> = (text) =>
  /^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+={0,2}( [^\r\n]*)?$/.test(text)
    ? text
    : fail('an OpenSSH public key, e.g. ssh-ed25519 AAAA… name')

/** Key ring syntax, see `keyring.ts`: `v2:BASE64,v1:BASE64`, 32 bytes each. */
export const keyRing: Parser<string> = (text) => {
  const entries = text.split(',').map((entry) => /^v([1-9]\d{0,5}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()))
  const versions = entries.map((entry) => entry?.[1])
  return entries.every(Boolean) && new Set(versions).size === versions.length
    ? text
    : fail('a key ring such as v2:BASE64,v1:BASE64 with 32 bytes in each key and no version twice')
}

/** A JSON object from text to text, e.g. `{"203.0.113.7:22":"127.0.0.1:2201"}`. */
export const addressMap: Parser<Readonly<Record<string, string>>> = (text) => {
  const value = parseJson(text)
  const good =
    isObject(value) &&
    Object.entries(value).every(([from, to]) => from !== '' && typeof to === 'string' && /^.+:\d{1,5}$/.test(to))
  return good
    ? Object.freeze(value as Record<string, string>)
    : fail('JSON such as {"203.0.113.7:22":"127.0.0.1:2201"}')
}

/** The value of a JSON text, or undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Whether a JSON value is an object (no list, not null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
