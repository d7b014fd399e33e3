import { Globe, Server } from 'lucide-react'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { foldText } from '#shared/rules/fold-text.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { statusLabel, statusLook } from '#web/documents/values/status-tones.ts'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { tSearch } from './messages.ts'
import type { Option } from './option.ts'
import type { ServerRow, SiteRow, UserRow, WpcSiteRow } from './use-rows.ts'

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const

function Status({ doctype, value }: { doctype: 'Site' | 'WPC Site' | 'Server'; value: string }) {
  const look = statusLook(doctype, 'status', value)
  return (
    <StatusPill tone={look?.tone ?? 'none'} busy={look?.busy ?? false} inset>
      {statusLabel(doctype, 'status', value)}
    </StatusPill>
  )
}

export function siteOption(site: SiteRow, term: string): Option {
  const href = `/site/${encodeURIComponent(site.name)}`
  const matches = (text: string) => foldText(text).includes(foldText(term))
  const isNamed = matches(site.domain) || matches(site.title ?? '')
  const alias = isNamed ? undefined : site.usr_alias_domains?.split(/[\s,]+/).find(matches)
  return {
    id: `site-${site.name}`,
    icon: <Globe {...icon} />,
    title: siteName(site),
    detail: alias
      ? tSearch('alias', { alias })
      : [addressBesideName(site), site.server_title].filter(Boolean).join(' · '),
    aside: <Status doctype="Site" value={site.status} />,
    href,
    visit: { kind: 'site', title: siteName(site), href },
  }
}

export function wpcSiteOption({ name, domain, status }: WpcSiteRow): Option {
  const href = `/site/${encodeURIComponent(name)}`
  return {
    id: `site-${name}`,
    icon: <Globe {...icon} />,
    title: domain,
    detail: 'WP Cloud',
    aside: <Status doctype="WPC Site" value={status} />,
    href,
    visit: { kind: 'site', title: domain, href },
  }
}

export function serverOption(server: ServerRow, canOpenServer: boolean): Option {
  // Members have no server pages (docs/contracts/screens.md, section 2, rule 8), so link to the list, which they can see.
  const href = canOpenServer
    ? `/server/${encodeURIComponent(server.name)}`
    : listHref('/server', [['hostname', '=', server.hostname]])
  return {
    id: `server-${server.name}`,
    icon: <Server {...icon} />,
    title: server.hostname,
    aside: <Status doctype="Server" value={server.status} />,
    href,
    ...(canOpenServer && { visit: { kind: 'server' as const, title: server.hostname, href } }),
  }
}

export function userOption(user: UserRow): Option {
  const href = `/user/${encodeURIComponent(user.name)}`
  const title = user.full_name ?? user.name
  return {
    id: `user-${user.name}`,
    icon: <Avatar name={title} image={user.user_image} />,
    title,
    detail: title === user.name ? null : user.name,
    href,
    visit: { kind: 'user', title, href },
  }
}
