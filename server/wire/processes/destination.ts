import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hasBody } from '#server/platform/network/has-body.ts'
import { splitTarget } from '../request/request-target.ts'
import { socketPath } from '../sockets/socket-server.ts'
import { processOfSocketId, type WebLinks } from './web-links.ts'

/** Number of the main process. */
export const mainProcess = 0

/** Methods that only read documents or name the caller. */
const readingMethods: ReadonlySet<string> = new Set([
  'frappe.auth.get_logged_user',
  'frappe.client.get',
  'frappe.client.get_list',
  'frappe.client.get_count',
  'frappe.client.get_value',
  'frappe.client.get_single_value',
  'frappe.client.has_permission',
  'frappe.client.get_doc_permissions',
  'frappe.desk.reportview.get',
  'frappe.desk.reportview.get_list',
  'frappe.desk.reportview.get_count',
  'frappe.desk.search.search_link',
  'easydash.api.documents.get_counts',
  'easydash.api.documents.get_lists',
])

/**
 * The process that answers a request. Every one answers for itself what only reads documents or files of the web app, and new
 * sockets; a socket stays with the process it began in. Everything else is answered by the main process: sockets of streams, what writes,
 * signs in, works on this machine or belongs to a site of it. In doubt it is the main one.
 */
export function createDestinations(links: WebLinks, url: string): (request: IncomingMessage) => number {
  const { hostname } = new URL(url)
  return (request) => {
    const name = (request.headers.host ?? '').toLowerCase().replace(/:\d*$/, '')
    // Any other name may be that of a site.
    if (name !== hostname && name !== 'localhost' && isIP(name.replace(/^\[(.*)\]$/, '$1')) === 0) return mainProcess
    const { path, query } = splitTarget(request.url ?? '/')
    if (path.startsWith(socketPath)) return ofSocket(links, query)
    return isPlainRead(request, query) && isRead(path) ? links.own : mainProcess
  }
}

function ofSocket(links: WebLinks, query: string): number {
  const parameters = new URLSearchParams(query)
  const sid = parameters.get('sid')
  // What streams lead to, a server's connection for one, is in the main process.
  if (sid === null) return parameters.has('streams') ? mainProcess : links.own
  const process = processOfSocketId(sid)
  return process < links.count ? process : mainProcess
}

/** Nothing in it can name a method or an action besides its path. */
function isPlainRead(request: IncomingMessage, query: string): boolean {
  if ((request.method !== 'GET' && request.method !== 'HEAD') || hasBody(request)) return false
  try {
    return !/cmd|run_method/.test(decodeURIComponent(query))
  } catch {
    return false
  }
}

function isRead(path: string): boolean {
  if (path.startsWith('/web/assets/')) return true
  const [, kind, name = ''] = /^\/api\/(?:v1\/)?(resource|method)\/([^?]+)$/.exec(path) ?? []
  return kind === 'resource' || (kind === 'method' && readingMethods.has(name))
}
