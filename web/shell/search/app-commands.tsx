import {
  ArrowLeftRight,
  BookOpen,
  CircleQuestionMark,
  KeyRound,
  LogOut,
  PanelLeft,
  Signpost,
  Settings2,
  ShieldCheck,
  SunMoon,
  Upload,
  UserPlus,
  type LucideIcon,
} from 'lucide-react'
import { useTheme } from '#web/lib/browser/theme.ts'
import { t } from '#web/lib/i18n/messages.ts'
import type { Route } from '#web/lib/routing/route-match.ts'
import {
  billingTabsOf,
  cardParam,
  organizationTabs,
  platformTabs,
  type SettingsCard,
} from '#web/lib/routing/page-tabs.ts'
import { logOut } from '#web/lib/session/log-out.ts'
import { sessionRoles, useSession, type Session } from '#web/lib/session/session.tsx'
import { startTour, tourNames } from '#web/lib/session/tour-list.ts'
import { t as tTour } from '#web/tours/messages.ts'
import { canOpen, useScreens } from '../frame/screens.tsx'
import { tShell } from '../messages.ts'
import { tApp } from './app-messages.ts'
import type { Option } from './option.ts'

/** What the shell does for commands. */
export interface AppHandlers {
  help: () => void
  toggleSidebar: () => void
}

/** An option with more words that find it. */
export interface AppCommand extends Option {
  keywords: string
}

interface Extra extends Pick<Option, 'href' | 'newTab' | 'run'> {
  keywords?: string
}

function commandOf(id: string, Icon: LucideIcon, title: string, { keywords = '', ...target }: Extra): AppCommand {
  const icon = <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
  return { id: `command-${id}`, icon, title, keywords, ...target }
}

/** Settings of the user's own account, by card. */
function accountCommands({ user, organization }: Session, screens: readonly Route[]): AppCommand[] {
  if (!user || !screens.some(({ path }) => path === '/user/:user')) return []
  const own = `/user/${encodeURIComponent(user)}`
  const card = (name: SettingsCard, icon: LucideIcon, keywords?: string) =>
    commandOf(name, icon, tApp(`card.${name}`), {
      href: `${own}?${cardParam}=${name}#settings`,
      ...(keywords !== undefined && { keywords }),
    })
  return [
    // Tokens act in an organization.
    ...(organization ? [card('token', KeyRound, tApp('token_words'))] : []),
    card('two_factor', ShieldCheck, tApp('factor_words')),
    card('password', KeyRound, tApp('password_words')),
    card('sessions', ShieldCheck, tApp('sessions_words')),
    card('ssh', KeyRound),
    card('mails', Settings2),
    commandOf('settings', Settings2, tApp('settings'), { href: `${own}#settings`, keywords: tApp('settings_words') }),
  ]
}

/** Tabs of the settings that the user can open. */
function tabCommands(session: Session, screens: readonly Route[]): AppCommand[] {
  const opens = (path: string) => canOpen(screens, session, path)
  const tab = (page: 'organization' | 'billing' | 'platform', id: string, title: string, keywords?: string) =>
    commandOf(`${page}-${id}`, Settings2, title, {
      href: `/${page}#${id}`,
      ...(keywords !== undefined && { keywords }),
    })
  const { subscription } = session
  const billing =
    opens('/billing') && subscription?.plans_enabled ? billingTabsOf(Boolean(subscription.payment_provider)) : []
  return [
    ...billing.map((id) => tab('billing', id, tApp(`billing.${id}`), id === 'plans' ? tApp('plan_words') : undefined)),
    ...(opens('/organization') ? organizationTabs : []).map((id) =>
      tab('organization', id, tApp(`organization.${id}`), tApp('settings_tab_words')),
    ),
    ...(opens('/platform') ? platformTabs : []).map((id) => tab('platform', id, tApp(`platform.${id}`))),
  ]
}

/** Commands that concern no document: everything a user can do on any page, as far as they may. Most used first. */
export function appCommands(
  session: Session,
  screens: readonly Route[],
  handlers: AppHandlers & { toggleTheme: () => void },
): AppCommand[] {
  const invites = sessionRoles(session).privileged && canOpen(screens, session, '/user')
  const others = session.organizations.filter(({ name }) => name !== session.organization?.name)
  return [
    ...(invites
      ? [commandOf('invite', UserPlus, tApp('invite'), { href: '/user?invite=1', keywords: tApp('invite_words') })]
      : []),
    ...(canOpen(screens, session, '/site/create')
      ? [commandOf('import', Upload, tApp('import'), { href: '/site?import=1', keywords: tApp('import_words') })]
      : []),
    commandOf('theme', SunMoon, tShell('shell.toggle_theme'), {
      run: handlers.toggleTheme,
      keywords: tApp('theme_words'),
    }),
    commandOf('help', CircleQuestionMark, tShell('shell.help'), { run: handlers.help, keywords: tApp('help_words') }),
    ...accountCommands(session, screens),
    commandOf('logout', LogOut, t('shell.logout'), { run: () => logOut(), keywords: tApp('logout_words') }),
    ...tabCommands(session, screens),
    ...others.map(({ name, title }) =>
      commandOf(`switch-${name}`, ArrowLeftRight, tApp('switch', { title }), {
        href: `/organization/${encodeURIComponent(name)}`,
        keywords: tApp('switch_words'),
      }),
    ),
    ...tourNames.map((name) =>
      commandOf(`tour-${name}`, Signpost, tApp('tour', { title: tTour(`tour.${name}`) }), {
        run: () => startTour(name),
      }),
    ),
    commandOf('api', BookOpen, tApp('api'), { href: '/api/docs', newTab: true, keywords: tApp('api_words') }),
    commandOf('sidebar', PanelLeft, tShell('shell.toggle_sidebar'), {
      run: handlers.toggleSidebar,
      keywords: tApp('sidebar_words'),
    }),
  ]
}

/** The current user's commands; none for null. */
export function useAppCommands(handlers: AppHandlers | null): AppCommand[] {
  const { toggle } = useTheme()
  const session = useSession()
  const screens = useScreens()
  return handlers ? appCommands(session, screens, { ...handlers, toggleTheme: toggle }) : []
}
