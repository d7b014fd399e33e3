import type { Action, AnyDoc, Doctype } from '#shared/doctype.ts'
import type { ListRequest } from '../query/list-request.ts'

/**
 * A curl command. `by` says how it authenticates: `token` has a placeholder for an API token; `session` uses a command-line
 * login, where the first steps of `/api/docs` store the cookies and CSRF token.
 */
export interface Command {
  readonly text: string
  readonly by: 'token' | 'session'
}

type Params = Readonly<Record<string, unknown>>

/** Quotes a word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Credentials of each kind. Never the browser's own session, which would end up in the shell's history. */
const credentials = {
  token: { read: ["-H 'Authorization: token KEY:SECRET'"], write: ["-H 'Authorization: token KEY:SECRET'"] },
  session: {
    read: ['-b easydash.cookies'],
    write: ['-b easydash.cookies', '-H "X-Frappe-CSRF-Token: $CSRF"'],
  },
} as const

function command(by: Command['by'], parts: readonly string[]): Command {
  return { text: parts.join(' \\\n  '), by }
}

/** A read call; parameters go into the URL, and those without a value are omitted. */
function getCurl(by: Command['by'], url: string, params: Params): Command {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null)
  return command(by, [
    `curl -G ${quoteForShell(url)}`,
    ...credentials[by].read,
    ...given.map(([name, value]) => `--data-urlencode ${quoteForShell(`${name}=${String(value)}`)}`),
  ])
}

/** A write call. */
function postCurl(by: Command['by'], url: string, body: Params): Command {
  return command(by, [
    `curl -X POST ${quoteForShell(url)}`,
    ...credentials[by].write,
    "-H 'Content-Type: application/json'",
    `-d ${quoteForShell(JSON.stringify(body))}`,
  ])
}

/** The request of a list. `origin` has no trailing slash, here and below. */
export function listCurl(type: Pick<Doctype, 'name' | 'area'>, request: ListRequest, origin: string): Command {
  return getCurl(
    type.area === undefined ? 'session' : 'token',
    `${origin}/api/resource/${encodeURIComponent(type.name)}`,
    {
      fields: JSON.stringify(request.fields),
      ...(request.filters.length > 0 && { filters: JSON.stringify(request.filters) }),
      ...(request.or_filters.length > 0 && { or_filters: JSON.stringify(request.or_filters) }),
      order_by: request.order_by,
      limit_start: request.start,
      limit_page_length: request.limit,
    },
  )
}

/** A page of rows from a method that tokens can't call. */
export function methodListCurl(method: string, params: Params, origin: string): Command {
  return getCurl('session', `${origin}/api/method/${method}`, params)
}

/** A write method that tokens can't call. */
export function methodCurl(method: string, params: Params, origin: string): Command {
  return postCurl('session', `${origin}/api/method/${method}`, params)
}

/** The members of an organization: the list of users without invitations. */
export function membersCurl(organization: string, origin: string): Command {
  return documentMethod('token', { dt: 'Organization', dn: organization, method: 'list_members', args: {} }, origin)
}

/** A declared action. Actions that tokens can't run get a `session` command. */
export function actionCurl(
  type: Pick<Doctype, 'name' | 'area' | 'actions'>,
  name: string,
  action: string,
  args: Params,
  origin: string,
): Command {
  const declared = type.actions?.[action]
  const closed = type.area === undefined || declared?.reauth === true || declared?.tokens === false
  return documentMethod(closed ? 'session' : 'token', { dt: type.name, dn: name, method: action, args }, origin)
}

/**
 * What the command of an action carries before anyone has entered it: the name that the action asks for, for an argument with
 * the name of a document field that field's value, for others their default, or a placeholder if it is required.
 */
export function commandArgs({ confirm_field: confirmed, args = {} }: Action, doc: AnyDoc): Params {
  const given = Object.entries(args)
    .filter(([, { hidden }]) => !hidden)
    .flatMap(([name, { fieldtype, options, default: standard, reqd }]) => {
      const value = doc[name] ?? standard
      if (!reqd && (value === null || value === undefined)) return []
      const placeholder = fieldtype === 'Link' && options === 'User' ? 'EMAIL' : name.toUpperCase()
      return [[name, typeof value === 'string' || typeof value === 'number' ? value : placeholder]]
    })
  return { ...Object.fromEntries(given), ...(confirmed && { confirm_name: doc[confirmed] }) }
}

/** A call of a document's method. */
interface MethodCall {
  readonly dt: string
  readonly dn: string
  readonly method: string
  readonly args: Params
}

function documentMethod(by: Command['by'], methodCall: MethodCall, origin: string): Command {
  return postCurl(by, `${origin}/api/method/run_doc_method`, { ...methodCall })
}
