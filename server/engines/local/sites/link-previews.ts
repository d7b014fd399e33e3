import type { IncomingMessage } from 'node:http'

/** Headers by which browsers say that nobody opened the page yet. */
const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const
/** Programs that fetch a link to show or judge what it leads to. */
const previewAgents = /bot\b|crawl|spider|preview|externalhit|embed|unfurl|scanner|^WhatsApp/i

/**
 * Whether a request is no person's visit: a browser that fetches ahead, or a program that looks where a link in a message leads. What
 * works once must not be used up by it.
 */
export function isPreview({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET') return true
  if (purposeHeaders.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')))) return true
  // Browsers say whether a request opens a page, or is one of a page's scripts, images and so on.
  if ((headers['sec-fetch-mode'] ?? 'navigate') !== 'navigate') return true
  return previewAgents.test(headers['user-agent'] ?? '')
}
