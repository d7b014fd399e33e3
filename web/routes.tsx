import { lazy, type ComponentType } from 'react'
import { LoginPage } from '#web/pages/login/login-page.tsx'
import { SignupPage } from '#web/pages/signup/signup-page.tsx'
import type { Crumb } from '#web/lib/routing/use-title.ts'
import type { Route, RouteLayout } from '#web/lib/routing/route-match.ts'

/** A route with its own lazily loaded chunk; the pages that guests arrive at are part of the app's entry. */
function route(
  path: string,
  title: string,
  layout: RouteLayout,
  load: () => Promise<ComponentType>,
  crumbs?: readonly Crumb[],
): Route {
  return { path, title, layout, load, page: lazyPage(load), ...(crumbs && { crumbs }) }
}

/** A route whose page is a form. */
const formRoute = (...args: Parameters<typeof route>): Route => ({ ...route(...args), form: true })

/** `React.lazy` for a named export. */
function lazyPage(load: () => Promise<ComponentType>) {
  return lazy(async () => ({ default: await load() }))
}

/** Page of unknown paths. */
export const NotFoundPage = lazyPage(() =>
  import('#web/pages/not-found/not-found-page.tsx').then((module) => module.NotFoundPage),
)

/** All routes (docs/contracts/screens.md, section 2): path, title, layout, page, breadcrumb. */
export const routes: readonly Route[] = [
  route('/', 'Dashboard', 'shell', () =>
    import('#web/pages/dashboard/dashboard-page.tsx').then((m) => m.DashboardPage),
  ),
  { form: true, path: '/login', title: 'Login', layout: 'public', page: LoginPage },
  { form: true, path: '/signup', title: 'Signup', layout: 'public', page: SignupPage },
  formRoute('/forgot-password', 'Forgot Password', 'public', () =>
    import('#web/pages/forgot-password/forgot-password-page.tsx').then((m) => m.ForgotPasswordPage),
  ),
  formRoute('/reset-password', 'Reset Password', 'public', () =>
    import('#web/pages/reset-password/reset-password-page.tsx').then((m) => m.ResetPasswordPage),
  ),
  route('/verify-email', 'Verify Email', 'public', () =>
    import('#web/pages/verify-email/verify-email-page.tsx').then((m) => m.VerifyEmailPage),
  ),
  route('/two-factor', 'Two-factor authentication', 'fullscreen', () =>
    import('#web/pages/two-factor/two-factor-page.tsx').then((m) => m.TwoFactorPage),
  ),
  route('/invitation', 'Invitation', 'public', () =>
    import('#web/pages/invitation/invitation-page.tsx').then((m) => m.InvitationPage),
  ),
  route('/terms', 'Terms', 'public', () => import('#web/pages/terms/terms-page.tsx').then((m) => m.TermsPage)),
  formRoute('/organization/create', 'Create Organization', 'fullscreen', () =>
    import('#web/pages/organization-create/organization-create-page.tsx').then((m) => m.OrganizationCreatePage),
  ),
  route('/organization', 'Organization Settings', 'shell', () =>
    import('#web/pages/organization/organization-page.tsx').then((m) => m.OrganizationPage),
  ),
  route('/organization/:organization', 'Switch Organization', 'fullscreen', () =>
    import('#web/pages/organization-switch/organization-switch-page.tsx').then((m) => m.OrganizationSwitchPage),
  ),
  route('/site', 'Sites', 'shell', () => import('#web/pages/sites/sites-page.tsx').then((m) => m.SitesPage)),
  formRoute(
    '/site/create',
    'Create Site',
    'shell',
    () => import('#web/pages/sites/site-create-page.tsx').then((m) => m.SiteCreatePage),
    [{ title: 'Sites', href: '/site' }, { title: 'Create Site' }],
  ),
  route(
    '/site/:site',
    'Site details',
    'shell',
    () => import('#web/pages/sites/site-page.tsx').then((m) => m.SitePage),
    [{ title: 'Sites', href: '/site' }, { title: 'Site details' }],
  ),
  {
    ...route('/server', 'Servers', 'shell', () =>
      import('#web/pages/servers/servers-page.tsx').then((m) => m.ServersPage),
    ),
    module: 'ee',
  },
  {
    ...route(
      '/server/:server',
      'Server details',
      'shell',
      () => import('#web/pages/servers/server-page.tsx').then((m) => m.ServerPage),
      [{ title: 'Servers', href: '/server' }, { title: 'Server details' }],
    ),
    module: 'ee',
  },
  route('/job', 'Jobs', 'shell', () => import('#web/pages/jobs/jobs-page.tsx').then((m) => m.JobsPage)),
  route('/bulk/:run', 'Bulk action', 'shell', () => import('#web/pages/bulk/bulk-page.tsx').then((m) => m.BulkPage), [
    { title: 'Jobs', href: '/job' },
    { title: 'Bulk action' },
  ]),
  route('/user', 'Users', 'shell', () => import('#web/pages/users/users-page.tsx').then((m) => m.UsersPage)),
  route('/user/:user', 'User details', 'shell', () => import('#web/pages/user/user-page.tsx').then((m) => m.UserPage), [
    { title: 'Users', href: '/user' },
    { title: 'User details' },
  ]),
  route('/billing', 'Billing', 'shell', () => import('#web/pages/billing/billing-page.tsx').then((m) => m.BillingPage)),
  {
    ...route('/platform', 'Platform', 'shell', () =>
      import('#web/pages/platform/platform-page.tsx').then((m) => m.PlatformPage),
    ),
    platformOnly: true,
  },
]
