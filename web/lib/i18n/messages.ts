import { createCatalog } from './catalog.ts'

/**
 * Texts of the foundation and the pages outside the shell (en). Features have their own catalogs, so that nobody loads
 * texts of screens they don't open. [F]: fixed verbatim (docs/contracts/screens.md).
 */
export const t = createCatalog({
  // Common
  'common.retry': 'Retry',
  'common.try_again': 'Try again',
  'common.reload': 'Reload',
  'common.offline': 'Available when the connection is back',
  'common.cancel': 'Cancel',
  'common.close': 'Close',
  'common.copy': 'Copy',
  'common.copied': 'Copied',
  'common.copy_details': 'Copy details',
  'common.why': 'Why?',
  'common.loading': 'Loading',
  'common.still_loading': 'Still loading…',
  'common.not_loaded': 'Not loaded',
  'common.show_password': 'Show password',
  'common.hide_password': 'Hide password',
  'common.type_to_confirm': 'Type {name} to confirm',
  'common.name_differs': 'The name doesn’t match.',
  'common.notification': 'Notification',
  'common.notifications': 'Notifications',
  'common.back_to_login': 'Back to login',

  // Forms
  'form.email': 'Email',
  'form.email_missing': 'Enter your email address.',
  'form.email_wrong': 'This does not look like an email address.',
  'form.try_again': 'Try again in {seconds} seconds.',
  'form.password': 'Password',
  'form.password_missing': 'Enter a password.',
  'form.first_name': 'First name',
  'form.first_name_missing': 'Enter your first name.',
  'form.last_name': 'Last name',
  'password.strength': 'Password strength',
  'password.hint': 'At least 10 characters. A few unrelated words work well.',
  'password.no_estimator': 'The strength check could not be loaded; the server checks it instead.',

  // Public pages
  'public.ready': 'All services up',
  'public.not_ready': 'Some services are down',
  'public.theme': 'Theme',
  'login.title': 'Log in',
  'login.lead': 'to {host}',
  'login.submit': 'Log in',
  'login.busy': 'Logging in',
  'login.forgot': 'Forgot password?',
  'login.wrong': 'Email or password is not right.',
  'login.sso': 'Log in with your organization',
  'login.new_here': 'New here?',
  'login.invite_only': 'New accounts need an invitation; its link leads to the sign-up form.',
  'login.create_account': 'Create an account',
  'terms.title': 'Terms',

  // Organization
  'switch.busy': 'Switching to {title}…',
  // [F]
  'switch.already': 'Already In The Selected Organization',
  'switch.failed': 'Error Switching Organization',
  'switch.unknown_title': 'Not one of your organizations',
  'switch.unknown_lead': 'You are not a member of {slug}. Ask its owner to invite you.',

  // [F]
  'notfound.title': "Sorry, we couldn't find this page.",
  'notfound.home': 'Return to Home',
  'crash.title': 'Unexpected Application Error',
  'crash.lead': 'Reload the page. If it happens again, copy the details and send them to the operator of this server.',

  // Parts of the app that failed to load
  'load.page_failed': 'This page could not be loaded',
  'load.part_failed': 'This could not be loaded',
  'load.hint': 'The server did not send it. Check the connection, then try again.',

  // Frame
  'shell.skip': 'Skip to content',
  'shell.logout': 'Logout',
})
