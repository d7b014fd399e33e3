import { reportPage } from '#shared/responses/desk.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import type { Filter } from '#web/lib/api/api.ts'
import { likePattern } from '#web/documents/query/like-pattern.ts'
import { tSearch } from './messages.ts'

/** Maximum rows per group (docs/contracts/screens.md, section 9). */
export const groupRows = 8

/** The fields of a site that the search and its actions need. */
export type SiteRow = {
  name: string
  domain: string
  title: string | null
  status: string
  url: string | null
  site_type: string
  php_version: string | null
  server: string
  server_title: string | null
  owner: string
  locked_by_job: string | null
  usr_alias_domains: string | null
}

/** The fields of a server that the search and its actions need. */
export type ServerRow = {
  name: string
  hostname: string
  status: string
  locked_by_job: string | null
}

/** The fields of a site at WP Cloud that the search needs. */
export type WpcSiteRow = {
  name: string
  domain: string
  status: string
}

/** The fields of an account that the search needs; `name` is the email. */
export interface UserRow {
  name: string
  full_name: string | null
  user_image: string | null
}

interface Found<Row> {
  rows: readonly Row[]
  loading: boolean
}

/** Rows of one source; shows a failure in a toast once, with its fixed title. Null requests nothing. */
function useReport<Row>(params: Record<string, unknown> | null, failure: string): Found<Row> {
  const { data, error, isLoading } = useMethod(
    params ? 'frappe.desk.reportview.get' : null,
    { ...params, page_length: groupRows },
    { verb: 'POST', revalidateOnFocus: false, returns: reportPage },
  )
  useFailureToast(failure, error)
  const rows = (data?.values ?? []).map(
    (values) => Object.fromEntries(data?.keys.map((key, at) => [key, values[at]]) ?? []) as Row,
  )
  return { rows, loading: isLoading }
}

const siteFields = [
  'name',
  'domain',
  'title',
  'status',
  'url',
  'site_type',
  'php_version',
  'server',
  'server.hostname as server_title',
  'owner',
  'locked_by_job',
  'usr_alias_domains',
]

/** Filters for a term; an empty one finds the latest. */
const like = (fields: readonly string[], term: string): readonly Filter[] =>
  term === '' ? [] : fields.map((field) => [field, 'like', likePattern(term)] as const)

/** Sites by name or title, then by alias domain. Null requests nothing. */
export function useSites(term: string | null): Found<SiteRow> {
  const order = 'modified desc'
  const named = useReport<SiteRow>(
    term === null
      ? null
      : {
          doctype: 'Site',
          fields: siteFields,
          or_filters: like(['domain', 'title'], term),
          order_by: order,
          view: 'List',
        },
    tSearch('sites_failed'),
  )
  const aliased = useReport<SiteRow>(
    term
      ? {
          doctype: 'Site',
          fields: siteFields,
          filters: like(['usr_alias_domains'], term),
          order_by: order,
          view: 'List',
        }
      : null,
    tSearch('aliases_failed'),
  )
  const known = new Set(named.rows.map(({ name }) => name))
  return {
    rows: [...named.rows, ...aliased.rows.filter(({ name }) => !known.has(name))].slice(0, groupRows),
    loading: named.loading || aliased.loading,
  }
}

/** Sites at WP Cloud by domain or alias. Null requests nothing. */
export function useWpcSites(term: string | null): Found<WpcSiteRow> {
  return useReport<WpcSiteRow>(
    term
      ? {
          doctype: 'WPC Site',
          fields: ['name', 'domain', 'status'],
          or_filters: like(['domain', 'usr_alias_domains'], term),
          order_by: 'modified desc',
          view: 'List',
        }
      : null,
    tSearch('wpc_sites_failed'),
  )
}

/** Servers by host name. Null requests nothing. */
export function useServers(term: string | null): Found<ServerRow> {
  return useReport<ServerRow>(
    term === null
      ? null
      : {
          doctype: 'Server',
          fields: ['name', 'hostname', 'status', 'locked_by_job'],
          filters: like(['hostname'], term),
          order_by: 'modified desc',
          view: 'List',
        },
    tSearch('servers_failed'),
  )
}

/** Users of the organization by name and email. Null requests nothing. */
export function useUsers(term: string | null): Found<UserRow> {
  return useReport<UserRow>(
    term
      ? {
          doctype: 'User',
          fields: ['name', 'full_name', 'user_image'],
          filters: [],
          or_filters: like(['full_name', 'name'], term),
          order_by: 'full_name asc',
        }
      : null,
    tSearch('users_failed'),
  )
}
