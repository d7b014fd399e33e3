import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the tours. Step names are the keys: `tour.sites`, `tour.sites_text`. */
export const t = createCatalog({
  'tour.onboarding': 'Product tour',
  'tour.onboardingv2': 'Short tour',
  'tour.features': 'Power features',
  'tour.previous': 'Previous',
  'tour.next': 'Next',
  'tour.finish': 'Finish',
  'tour.close': 'End the tour',
  'tour.progress': '{step} of {steps}',
  'tour.failed': 'The tour did not start',
  'tour.unsaved': 'Your tour progress was not saved',
  'tour.switcher': 'Your organizations',
  'tour.switcher_text':
    'Sites, servers and people belong to an organization. Switch between yours here, or create another.',
  'tour.search': 'Find anything',
  'tour.search_text':
    'Type / anywhere to search pages, sites, servers and people. Ctrl or ⌘ with K lists actions first: open the admin of a site, create one, archive one.',
  'tour.sites': 'Sites',
  'tour.sites_text': 'All sites you can see, with their status and the server each runs on.',
  'tour.create_site': 'Create a site',
  'tour.create_site_text':
    'A name is enough to begin. Every step shows while it runs, and the site is live within seconds.',
  'tour.create_site_first':
    'A name is enough to begin, and it is live within seconds. Next opens the form; this step continues when your site is there.',
  'tour.site_made': 'Create a site: here it is',
  'tour.site_made_text':
    'Once your first site is Live, Visit opens its public page, and Open admin logs you in to its WordPress as your own user, without a password.',
  'tour.add_server': 'Add a server',
  'tour.add_server_text': 'Rent one from a cloud provider or bring your own. It is set up for WordPress by itself.',
  'tour.cloud_provider': 'Cloud providers',
  'tour.cloud_provider_text':
    'Enter your key and test it. Easydash shows the provider’s response, and never shows the key again.',
  'tour.backup_provider': 'Backup storage',
  'tour.backup_provider_text': 'A bucket of your own. Test writes a small file, reads it and removes it.',
  'tour.github': 'GitHub',
  'tour.github_text': 'The GitHub account of this organization. Test shows whether its token works.',
  'tour.ssh': 'SSH keys',
  'tour.ssh_text': 'Public keys of your team, kept for the servers of the organization.',
  'tour.access_token': 'Access token',
  'tour.access_token_text': 'A token for your own servers. It is shown once; we store only a hash.',
  'tour.users': 'Users',
  'tour.users_text': 'Invite colleagues, choose their roles, and see pending invitations.',
  'tour.profile': 'Your profile',
  'tour.profile_text': 'Your name, password, two-factor authentication, sessions, keys and the look of the app.',
  'tour.billing': 'Billing',
  'tour.billing_text': 'Your billing profile, and your plan if this installation has plans.',
  'tour.help': 'Help',
  'tour.help_text': 'All keys, this tour again, and the reference of the API. Press ? any time.',
  'tour.actions': 'Actions from anywhere',
  'tour.actions_text':
    'Press Ctrl or ⌘ with K and type what to do with which site, for example “back up” and its name. Rows of lists have the same actions in their menus.',
  'tour.magic_login': 'One key to wp-admin',
  'tour.magic_login_text':
    'Go to a site and press L: you are logged in to its WordPress as your own user, and the activity log records it.',
  'tour.saved_views': 'Views of a list',
  'tour.saved_views_text': 'Filters you need again become a view with its own count, for you or for everyone.',
  'tour.backups': 'Backups',
  'tour.backups_text':
    'The backups of all sites, and whether a test restore has proven them. Open any of them as a new site from its menu.',
  'tour.job_drawer': 'Jobs',
  'tour.job_drawer_text':
    'Long-running work is a job: named steps, their time, the log, cancel and retry. You can close it. The job keeps running.',
  'tour.server_graphs': 'Server graphs',
  'tour.server_graphs_text':
    'CPU, load, memory, swap, disk and network, up to two years back. Events such as reboots are marked, and one crosshair shows all values of a moment.',
})
