import { check } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

const whileLive = ['Live'] as const

/** Actions about services of a server that a site uses. */
export const serviceActions = {
  read_services: {
    label: 'Cache and email',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'proxy_cache',
    reads: true,
    tokens: 'sites:write',
    returns: 'SiteServices',
    hidden: true,
  },
  set_proxy_cache: {
    label: 'Proxy cache',
    activity: 'changed the proxy cache',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'proxy_cache',
    args: { enabled: check({ label: 'On' }) },
    returns: 'Nothing',
    hidden: true,
  },
  purge_proxy_cache: {
    label: 'Clear the proxy cache',
    activity: 'cleared the proxy cache',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'proxy_cache',
    returns: 'Nothing',
    hidden: true,
  },
  set_mail_catcher: {
    label: 'MailHog',
    activity: 'changed whether emails are kept instead of delivered',
    allow: sharedGrants('write'),
    from: whileLive,
    for: ['site_type', '!=', 'html'],
    capability: 'mail_catcher',
    args: { enabled: check({ label: 'On' }) },
    returns: 'Nothing',
    hidden: true,
  },
} as const
