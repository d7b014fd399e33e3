import { decode } from 'punycode/punycode.es6.js'
import { msg, type LocalizedMessage } from '../localized-message.ts'
import type { FieldFormat } from '../fields.ts'

/*
 * Formats are allow-lists: several of these values end up in commands of other programs that pass them to their own shells,
 * so quoting alone isn't enough (docs/security.md).
 */

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,30})[a-z0-9]$/
const LOCAL_PART = /^[A-Za-z0-9_+](?:[A-Za-z0-9._+-]{0,62}[A-Za-z0-9_+-])?$/

/** Validates the labels of a host name; returns the error message or null. */
function checkLabels(value: string, subject: LocalizedMessage): LocalizedMessage | null {
  if (value === '') return msg`${subject} is missing.`
  if (value.length > 253) return msg`${subject} can have at most 253 characters.`
  if (/[A-Z]/.test(value)) return msg`${subject} must be in lower case.`
  if (value.endsWith('.')) return msg`${subject} must not end with a dot.`
  if (value.includes('*')) return msg`${subject} can’t contain a wildcard.`
  const labels = value.split('.')
  if (labels.some((label) => !LABEL.test(label))) {
    return msg`${subject} can contain lower-case letters, digits and hyphens, its parts separated by dots.`
  }
  // A name never ends in a numeric label: resolvers treat such a text as an IPv4 address.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return msg`${subject} must be a name, not an IP address.`
  if (labels.some((label) => label.startsWith('xn--') && !isInternational(label)))
    return msg`${subject} contains an invalid international part (xn--).`
  return null
}

/**
 * Whether a label of at most 63 characters that starts with `xn--` is valid: decoding it and encoding the result with the
 * platform's IDNA must return the same label. Node's URL doesn't check this for names that are already ASCII.
 */
function isInternational(label: string): boolean {
  try {
    const letters = decode(label.slice('xn--'.length))
    return URL.canParse(`http://${letters}.a/`) && new URL(`http://${letters}.a/`).hostname === `${label}.a`
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** A full domain in ASCII form: at least two labels, no IP address, wildcard or trailing dot. */
export function checkDomain(value: string): LocalizedMessage | null {
  return (
    checkLabels(value, msg`The domain`) ?? (value.includes('.') ? null : msg`The domain needs a dot, e.g. example.com.`)
  )
}

/** Host name of a machine: one or more labels. */
export function checkHostname(value: string): LocalizedMessage | null {
  return checkLabels(value, msg`The host name`)
}

/**
 * An email address: `[A-Za-z0-9._+-]+@domain`, at most 254 characters. The part before the @ never starts with a dot or
 * hyphen.
 */
export function checkEmail(value: string): LocalizedMessage | null {
  const wrong = msg`Enter an email address such as ann@example.com.`
  const at = value.lastIndexOf('@')
  if (at < 1 || value.length > 254) return wrong
  const local = value.slice(0, at)
  if (!LOCAL_PART.test(local) || local.includes('..')) return wrong
  return checkDomain(value.slice(at + 1).toLowerCase()) ? wrong : null
}

/** Short name of an organization or a local site. Doesn't check whether it is available or reserved. */
export function checkSlug(value: string): LocalizedMessage | null {
  if (value.length < 3 || value.length > 32) return msg`Use 3 to 32 characters.`
  if (/[A-Z]/.test(value)) return msg`Use lower-case letters only.`
  if (/^-|-$/.test(value)) return msg`It must not begin or end with a hyphen.`
  return SLUG.test(value) ? null : msg`Use lower-case letters, digits and hyphens only.`
}

/** Name of an account on a machine or in WordPress. */
export function checkUsername(value: string): LocalizedMessage | null {
  return /^[a-z][a-z0-9_-]{0,31}$/.test(value)
    ? null
    : msg`Use up to 32 lower-case letters, digits, hyphens and underscores; begin with a letter.`
}

/**
 * A name of which every character is seen, where a hook has the rule for the rest: what cannot be seen is refused, because removing it
 * would make another name of what was sent.
 */
export function checkVisible(value: string): LocalizedMessage | null {
  if (value.length > 253) return msg`The name can have at most 253 characters.`
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(value)
    ? msg`The name contains characters that can’t be seen. Type it instead of pasting it.`
    : null
}

/** Whether the text is an IPv4 address in its usual form: four decimal numbers, no leading zeros. */
export function isIpv4(value: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/.test(value) && !value.endsWith('.')
}

/** Whether the text is an IPv6 address without brackets or zone. */
export function isIpv6(value: string): boolean {
  return value.includes(':') && /^[0-9a-f:.]+$/i.test(value) && URL.canParse(`http://[${value}]/`)
}

/** An IPv4 or IPv6 address. */
export function checkIp(value: string): LocalizedMessage | null {
  return isIpv4(value) || isIpv6(value) ? null : msg`Enter an IP address such as 203.0.113.5 or 2001:db8::5.`
}

/** An IPv4 address. */
export function checkIpv4(value: string): LocalizedMessage | null {
  return isIpv4(value) ? null : msg`Enter an IPv4 address such as 203.0.113.5.`
}

/** An IPv6 address. */
export function checkIpv6(value: string): LocalizedMessage | null {
  return isIpv6(value) ? null : msg`Enter an IPv6 address such as 2001:db8::5.`
}

/** A web address: http or https, without user name or password. */
export function checkUrl(value: string): LocalizedMessage | null {
  const wrong = msg`Enter a web address such as https://example.com/.`
  if (value.length > 2048 || !/^https?:\/\/[^\s\p{Cc}\p{Cf}\\]+$/iu.test(value) || !URL.canParse(value)) return wrong
  const url = new URL(value)
  if (url.username !== '' || url.password !== '') return msg`The address can’t contain a user name or password.`
  return url.hostname === '' ? wrong : null
}

/** A telephone number: 5 to 15 digits with the usual separators. */
export function checkPhone(value: string): LocalizedMessage | null {
  const digits = value.replaceAll(/\D/g, '').length
  return /^\+?[\d ()./-]+$/.test(value) && digits >= 5 && digits <= 15
    ? null
    : msg`Enter a phone number such as +49 30 1234567.`
}

/** A time of day. */
export function checkTime(value: string): LocalizedMessage | null {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value) ? null : msg`Enter a time like 03:00.`
}

/** An IANA time zone known to this runtime. */
export function checkTimezone(value: string): LocalizedMessage | null {
  const wrong = msg`Choose a time zone such as Europe/Berlin.`
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(value)) return wrong
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return null
  } catch (error) {
    if (error instanceof RangeError) return wrong
    throw error
  }
}

const checks: Readonly<Record<FieldFormat, (value: string) => LocalizedMessage | null>> = {
  email: checkEmail,
  domain: checkDomain,
  visible: checkVisible,
  slug: checkSlug,
  username: checkUsername,
  hostname: checkHostname,
  ip: checkIp,
  ipv4: checkIpv4,
  ipv6: checkIpv6,
  url: checkUrl,
  phone: checkPhone,
  timezone: checkTimezone,
  time: checkTime,
}

/** Validates a value against a format; returns the error message or null. */
export function checkFormat(format: FieldFormat, value: string): LocalizedMessage | null {
  return checks[format](value)
}
