import { randomBytes } from 'node:crypto'
import type { ForeignOrigins, WireConfig } from '../options.ts'

/** Cache-Control of API responses: never cached. */
export const noStore = 'no-store,no-cache,must-revalidate,max-age=0'

/** A new nonce for one response's content security policy. */
export function newNonce(): string {
  return randomBytes(16).toString('base64')
}

/** Policy for responses that are not pages: nothing may run, load or frame. */
export const denyAllPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Security headers of all our responses. */
export function commonHeaders(config: WireConfig): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Not `no-referrer`: browsers would send `Origin: null` with our own native forms.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(self), usb=()',
    'content-security-policy': denyAllPolicy,
    ...(isHttps(config) ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** Whether the public URL uses https, so that cookies are marked Secure. */
export function isHttps(config: WireConfig): boolean {
  return config.url.startsWith('https:')
}

/**
 * Content security policy of our HTML. Scripts need the response's nonce or come from our built files, so that an uploaded
 * file can never run as a script.
 */
export function pagePolicy(config: WireConfig, nonce: string, foreign: ForeignOrigins | null = null): string {
  const socket = config.url.replace(/^http/, 'ws')
  const own = `'nonce-${nonce}' ${config.url}/web/assets/`
  return [
    "default-src 'none'",
    ['script-src', own, ...(foreign?.scripts ?? [])].join(' '),
    `style-src ${own}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    // Safari before 15.4 does not match websockets with 'self'.
    [`connect-src 'self' ${socket}`, ...(foreign?.requests ?? [])].join(' '),
    `frame-src ${foreign?.frames.join(' ') ?? "'none'"}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ].join('; ')
}
