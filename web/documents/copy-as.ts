import type { Action, Doctype } from '#shared/doctype.ts'
import type { ListRequest } from './list-query.ts'

/** A word for a POSIX shell: quoted so that nothing in it means anything. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** What stands where everybody puts a token of their own. */
const tokenHeader = 'Authorization: token KEY:SECRET'

function command(parts: readonly string[]): string {
  return parts.join(' \\\n  ')
}

/** The API request a list stands for, as a curl command with a place for the token. `origin` without trailing slash. */
export function listCurl(type: Doctype, request: ListRequest, origin: string): string {
  const params: Record<string, string> = {
    fields: JSON.stringify(request.fields),
    ...(request.filters.length > 0 && { filters: JSON.stringify(request.filters) }),
    ...(request.or_filters.length > 0 && { or_filters: JSON.stringify(request.or_filters) }),
    order_by: request.order_by,
    limit_start: String(request.start),
    limit_page_length: String(request.limit),
  }
  return command([
    `curl -G ${shellQuoted(`${origin}/api/resource/${encodeURIComponent(type.name)}`)}`,
    `-H ${shellQuoted(tokenHeader)}`,
    ...Object.entries(params).map(([name, value]) => `--data-urlencode ${shellQuoted(`${name}=${value}`)}`),
  ])
}

/** Whether API tokens may run an action: for others there is no command. */
export function hasCommand(type: Doctype, action: Action): boolean {
  return !action.reauth && action.tokens !== false && type.area !== undefined
}

/** The members of an organization: what the list of users shows, without invitations. */
export function membersCurl(organization: string, origin: string): string {
  return actionCurl({ name: 'Organization' }, organization, 'list_members', {}, origin)
}

/** A declared action as a curl command with a place for the token. */
export function actionCurl(
  type: Pick<Doctype, 'name'>,
  name: string,
  action: string,
  args: Readonly<Record<string, unknown>>,
  origin: string,
): string {
  const body = JSON.stringify({ dt: type.name, dn: name, method: action, args })
  return command([
    `curl -X POST ${shellQuoted(`${origin}/api/method/run_doc_method`)}`,
    `-H ${shellQuoted(tokenHeader)}`,
    `-H ${shellQuoted('Content-Type: application/json')}`,
    `-d ${shellQuoted(body)}`,
  ])
}
