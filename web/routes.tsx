import type { ComponentType } from 'react'
import { fetched } from '#web/lib/code.ts'
import type { Crumb } from '#web/lib/use-title.ts'
import type { Route, RouteLayout } from '#web/lib/routes.ts'

/** A line of the table: the screen's code is a file of its own, fetched when it is needed. */
function route(
  path: string,
  title: string,
  layout: RouteLayout,
  load: () => Promise<ComponentType>,
  crumbs?: readonly Crumb[],
): Route {
  // Ahead of time only from inside the shell, and only what has a place there.
  return { path, title, layout, page: fetched(load, { ahead: layout === 'shell' }), ...(crumbs && { crumbs }) }
}

/** Unknown paths. */
export const NotFoundPage = fetched(() =>
  import('#web/pages/not-found/not-found-page.tsx').then((module) => module.NotFoundPage),
)

/** Every screen there is (specification section 2): path, title, layout, page, breadcrumb. */
export const routes: readonly Route[] = [
  route('/', 'Dashboard', 'shell', () =>
    import('#web/pages/dashboard/dashboard-page.tsx').then((m) => m.DashboardPage),
  ),
  route('/login', 'Login', 'public', () => import('#web/pages/login/login-page.tsx').then((m) => m.LoginPage)),
  route('/signup', 'Signup', 'public', () => import('#web/pages/signup/signup-page.tsx').then((m) => m.SignupPage)),
  route('/forgot-password', 'Forgot Password', 'public', () =>
    import('#web/pages/forgot-password/forgot-password-page.tsx').then((m) => m.ForgotPasswordPage),
  ),
  route('/reset-password', 'Reset Password', 'public', () =>
    import('#web/pages/reset-password/reset-password-page.tsx').then((m) => m.ResetPasswordPage),
  ),
  route('/verify-email', 'Verify Email', 'public', () =>
    import('#web/pages/verify-email/verify-email-page.tsx').then((m) => m.VerifyEmailPage),
  ),
  route('/invitation', 'Invitation', 'public', () =>
    import('#web/pages/invitation/invitation-page.tsx').then((m) => m.InvitationPage),
  ),
  route('/terms', 'Terms', 'public', () => import('#web/pages/terms/terms-page.tsx').then((m) => m.TermsPage)),
  route('/organization/create', 'Create Organization', 'fullscreen', () =>
    import('#web/pages/organization-create/organization-create-page.tsx').then((m) => m.OrganizationCreatePage),
  ),
  route('/organization', 'Organization Settings', 'shell', () =>
    import('#web/pages/organization/organization-page.tsx').then((m) => m.OrganizationPage),
  ),
  route('/organization/:organization', 'Switch Organization', 'fullscreen', () =>
    import('#web/pages/organization-switch/organization-switch-page.tsx').then((m) => m.OrganizationSwitchPage),
  ),
  route('/site', 'Sites', 'shell', () => import('#web/pages/sites/sites-page.tsx').then((m) => m.SitesPage)),
  route(
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
  route('/server', 'Servers', 'shell', () => import('#web/pages/servers/servers-page.tsx').then((m) => m.ServersPage)),
  route(
    '/server/:server',
    'Server details',
    'shell',
    () => import('#web/pages/servers/server-page.tsx').then((m) => m.ServerPage),
    [{ title: 'Servers', href: '/server' }, { title: 'Server details' }],
  ),
  route('/job', 'Jobs', 'shell', () => import('#web/pages/jobs/jobs-page.tsx').then((m) => m.JobsPage)),
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
