import type { ComponentType } from 'react'
import { LoginPage } from '#web/pages/login/login-page.tsx'
import { SignupPage } from '#web/pages/signup/signup-page.tsx'
import { createKeys } from '#web/lib/routing/create-keys.ts'
import type { Route, RouteLayout } from '#web/lib/routing/route-match.ts'
import { laterComponent, laterModule } from '#web/ui/later-module.tsx'
import type { NavIcon } from '#web/shell/frame/nav-entries.tsx'

/** A route with its own lazily loaded chunk; the pages that guests arrive at are part of the app's entry. */
function route(
  path: string,
  title: string,
  layout: RouteLayout,
  importPage: () => Promise<ComponentType>,
  more: Partial<Route> & { nav?: { icon: NavIcon } } = {},
): Route {
  const page = laterModule(importPage)
  return { path, title, layout, load: page.load, page: laterComponent(page, (component) => component), ...more }
}

/** Page of unknown paths. */
export const NotFoundPage = laterComponent(
  laterModule(() => import('#web/pages/not-found/not-found-page.tsx')),
  (module) => module.NotFoundPage,
)

/**
 * All pages (docs/contracts/screens.md, section 2): path, title, layout, code; then breadcrumb, who can open it, its entry in the
 * menu, its shortcut. Menu, search and the list of shortcuts have the order of this table.
 */
export const routes: readonly Route[] = [
  route(
    '/',
    'Dashboard',
    'shell',
    () => import('#web/pages/dashboard/dashboard-page.tsx').then((m) => m.DashboardPage),
    {
      nav: { key: 'dashboard', group: 'general', icon: 'LayoutDashboard' },
      shortcut: { keys: ['G', 'D'], text: 'Go to the dashboard' },
    },
  ),
  { form: true, path: '/login', title: 'Login', layout: 'public', access: 'guests', page: LoginPage },
  { form: true, path: '/signup', title: 'Signup', layout: 'public', access: 'guests', page: SignupPage },
  route(
    '/forgot-password',
    'Forgot Password',
    'public',
    () => import('#web/pages/forgot-password/forgot-password-page.tsx').then((m) => m.ForgotPasswordPage),
    { form: true, access: 'guests' },
  ),
  route(
    '/reset-password',
    'Reset Password',
    'public',
    () => import('#web/pages/reset-password/reset-password-page.tsx').then((m) => m.ResetPasswordPage),
    { form: true, access: 'anyone' },
  ),
  route(
    '/verify-email',
    'Verify Email',
    'public',
    () => import('#web/pages/verify-email/verify-email-page.tsx').then((m) => m.VerifyEmailPage),
    { access: 'unverified' },
  ),
  route(
    '/two-factor',
    'Two-factor authentication',
    'fullscreen',
    () => import('#web/pages/two-factor/two-factor-page.tsx').then((m) => m.TwoFactorPage),
    { access: 'without_two_factor' },
  ),
  route(
    '/invitation',
    'Invitation',
    'public',
    () => import('#web/pages/invitation/invitation-page.tsx').then((m) => m.InvitationPage),
    { access: 'anyone' },
  ),
  route('/sso', 'Organization login', 'public', () => import('#web/pages/sso/sso-page.tsx').then((m) => m.SsoPage), {
    form: true,
    access: 'guests',
  }),
  route(
    '/sso/callback',
    'Organization login',
    'public',
    () => import('#web/pages/sso/sso-callback-page.tsx').then((m) => m.SsoCallbackPage),
    { access: 'anyone' },
  ),
  route(
    '/sso/:key',
    'Organization login',
    'public',
    () => import('#web/pages/sso/sso-page.tsx').then((m) => m.SsoStartPage),
    { access: 'guests' },
  ),
  route('/terms', 'Terms', 'public', () => import('#web/pages/terms/terms-page.tsx').then((m) => m.TermsPage), {
    access: 'anyone',
  }),
  route(
    '/organization/create',
    'Create Organization',
    'fullscreen',
    () => import('#web/pages/organization-create/organization-create-page.tsx').then((m) => m.OrganizationCreatePage),
    { form: true, access: 'verified' },
  ),
  route(
    '/organization/:organization',
    'Switch Organization',
    'fullscreen',
    () => import('#web/pages/organization-switch/organization-switch-page.tsx').then((m) => m.OrganizationSwitchPage),
    { access: 'any_member' },
  ),
  route('/site', 'Sites', 'shell', () => import('#web/pages/sites/sites-page.tsx').then((m) => m.SitesPage), {
    readEarly: () => import('#web/pages/sites/sites-early-reads.ts').then((m) => m.readSitesEarly),
    nav: { key: 'view-sites', group: 'general', icon: 'Globe', lists: 'Site' },
    shortcut: { keys: ['G', 'S'], text: 'Go to sites' },
  }),
  route(
    '/site/create',
    'Create Site',
    'shell',
    () => import('#web/pages/sites/site-create-page.tsx').then((m) => m.SiteCreatePage),
    {
      form: true,
      crumbs: [{ title: 'Sites', href: '/site' }, { title: 'Create Site' }],
      shortcut: { keys: createKeys['/site/create'], text: 'Create a site' },
    },
  ),
  route(
    '/site/backups',
    'Backups',
    'shell',
    () => import('#web/pages/sites/backups/backups-page.tsx').then((m) => m.BackupsPage),
    { crumbs: [{ title: 'Sites', href: '/site' }, { title: 'Backups' }] },
  ),
  route(
    '/site/wp-cloud',
    'WP Cloud',
    'shell',
    () => import('#web/pages/sites/wp-cloud/wpc-site-list-page.tsx').then((m) => m.WpcSiteListPage),
    { module: 'wpc', crumbs: [{ title: 'Sites', href: '/site' }, { title: 'WP Cloud' }] },
  ),
  route(
    '/site/:site',
    'Site details',
    'shell',
    () => import('#web/pages/sites/site-page.tsx').then((m) => m.SitePage),
    { crumbs: [{ title: 'Sites', href: '/site' }, { title: 'Site details' }] },
  ),
  route('/server', 'Servers', 'shell', () => import('#web/pages/servers/servers-page.tsx').then((m) => m.ServersPage), {
    module: 'ee',
    readEarly: () => import('#web/pages/servers/servers-early-reads.ts').then((m) => m.readServersEarly),
    nav: { key: 'view-servers', group: 'general', icon: 'Server', lists: 'Server' },
    shortcut: { keys: ['G', 'V'], text: 'Go to servers' },
  }),
  route(
    '/server/create',
    'Create Server',
    'shell',
    () => import('#web/pages/servers/create/server-create-page.tsx').then((m) => m.ServerCreatePage),
    {
      form: true,
      module: 'ee',
      access: 'admins',
      crumbs: [{ title: 'Servers', href: '/server' }, { title: 'Create Server' }],
      shortcut: { keys: createKeys['/server/create'], text: 'Create a server' },
    },
  ),
  route(
    '/server/:server',
    'Server details',
    'shell',
    () => import('#web/pages/servers/server-page.tsx').then((m) => m.ServerPage),
    { module: 'ee', access: 'managers', crumbs: [{ title: 'Servers', href: '/server' }, { title: 'Server details' }] },
  ),
  route('/job', 'Jobs', 'shell', () => import('#web/pages/jobs/jobs-page.tsx').then((m) => m.JobsPage), {
    readEarly: () => import('#web/pages/jobs/jobs-early-reads.ts').then((m) => m.readJobsEarly),
  }),
  route('/notification', 'Notifications', 'shell', () =>
    import('#web/pages/notifications/notifications-page.tsx').then((m) => m.NotificationsPage),
  ),
  route('/bulk/:run', 'Bulk action', 'shell', () => import('#web/pages/bulk/bulk-page.tsx').then((m) => m.BulkPage), {
    crumbs: [{ title: 'Jobs', href: '/job' }, { title: 'Bulk action' }],
  }),
  route('/user', 'Users', 'shell', () => import('#web/pages/users/users-page.tsx').then((m) => m.UsersPage), {
    access: 'managers',
    readEarly: () => import('#web/pages/users/users-early-reads.ts').then((m) => m.readUsersEarly),
    nav: { key: 'users', group: 'manage', icon: 'Users', lists: 'User' },
    shortcut: { keys: ['G', 'U'], text: 'Go to users' },
  }),
  route('/user/:user', 'User details', 'shell', () => import('#web/pages/user/user-page.tsx').then((m) => m.UserPage), {
    crumbs: [{ title: 'Users', href: '/user' }, { title: 'User details' }],
  }),
  route(
    '/organization',
    'Organization Settings',
    'shell',
    () => import('#web/pages/organization/organization-page.tsx').then((m) => m.OrganizationPage),
    {
      access: 'admins',
      nav: { key: 'organization', group: 'manage', icon: 'Settings2', label: 'Settings' },
      shortcut: { keys: ['G', 'O'], text: 'Go to the organization’s settings' },
    },
  ),
  route(
    '/billing',
    'Billing',
    'shell',
    () => import('#web/pages/billing/billing-page.tsx').then((m) => m.BillingPage),
    {
      access: 'owner',
      nav: { key: 'billing', group: 'manage', icon: 'CreditCard' },
      shortcut: { keys: ['G', 'B'], text: 'Go to billing' },
    },
  ),
  route(
    '/platform',
    'Platform',
    'shell',
    () => import('#web/pages/platform/platform-page.tsx').then((m) => m.PlatformPage),
    { access: 'platform', nav: { key: 'platform', group: 'manage', icon: 'Gauge' } },
  ),
]
