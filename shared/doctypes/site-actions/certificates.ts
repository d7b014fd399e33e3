import { data, json, longText, secret, select } from '../../fields.ts'
import type { MessageDescriptor } from '../../localized-message.ts'
import { certificateKinds, issuedKinds } from '../../rules/site-certificates.ts'
import { sharedGrants } from './grants.ts'

/** How a site is served over TLS. */
export const certificateFields = {
  /** Chosen when it is created; its job gets it afterward. Null: none. */
  initial_ssl: select(issuedKinds, { set_only_once: true, label: 'SSL' }),
  /** Where its certificate comes from; null: none. */
  ssl: select(certificateKinds, { read_only: true, server_owned: true, label: 'SSL certificate' }),
  /** Why it did not get the certificate that it was to get last; null: it got it. */
  ssl_problem: data({ read_only: true, server_owned: true, length: 500 }),
  ssl_problem_i18n: json<MessageDescriptor>({ read_only: true, server_owned: true }),
} as const

const whileLive = ['Live'] as const

/** Longest certificate with its chain, and longest key, in characters of PEM: a job keeps both in its arguments. */
const maxPem = 32_768
const maxKey = 16_384

/** Actions about the certificate of a site. */
export const certificateActions = {
  read_certificate: {
    label: 'SSL certificate',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'tls',
    reads: true,
    keeps: true,
    tokens: 'sites:write',
    returns: 'SiteCertificate',
    hidden: true,
  },
  set_ssl: {
    label: 'Change SSL',
    keywords: ['HTTPS', 'TLS', 'Certificate'],
    activity: 'changed the SSL certificate',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'tls',
    args: { ssl: select(['off', ...issuedKinds], { reqd: true, label: 'SSL' }) },
    confirm: 'Addresses in WordPress follow. If the site does not answer afterward, it is set back.',
    job: true,
    hidden: true,
  },
  set_certificate: {
    label: 'Use a custom certificate',
    activity: 'installed a custom SSL certificate',
    allow: sharedGrants('write'),
    from: whileLive,
    capability: 'tls',
    args: {
      certificate: longText({
        reqd: true,
        length: maxPem,
        label: 'Certificate',
        description: 'PEM, followed by the certificates of its issuers.',
      }),
      key: secret({ reqd: true, length: maxKey, label: 'Private key', description: 'PEM, without a passphrase.' }),
    },
    job: true,
    hidden: true,
  },
} as const
