import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about the certificate of a site, and services of its server. */
export const t = createCatalog({
  'services.title': 'Cache and email',
  'services.error': 'The services did not load',
  'services.cache': 'Proxy cache',
  'services.cache_hint':
    'The web server keeps whole pages for a second. Turning it on or off restarts it: all sites of the server are away for a moment.',
  'services.cache_on': 'The proxy cache is on',
  'services.cache_off': 'The proxy cache is off',
  'services.mail': 'MailHog',
  'services.mail_hint': 'Emails of the site are kept for you to read, and not delivered.',
  'services.mail_on': 'Emails are kept and not delivered',
  'services.mail_off': 'Emails are delivered',
  'services.mail_open': 'Open MailHog',
  'services.mail_password': 'It asks for the user name and password of the server’s admin tools.',
  'ssl.title': 'SSL certificate',
  'ssl.error': 'The certificate did not load',
  'ssl.state': 'Status',
  'ssl.state_off': 'Off',
  'ssl.state_valid': 'Valid',
  'ssl.state_ends_soon': 'Expires soon',
  'ssl.state_missing': 'Failed',
  'ssl.state_expired': 'Expired',
  'ssl.state_not_yet_valid': 'Not valid yet',
  'ssl.state_other_name': 'Wrong domain',
  'ssl.kind': 'Kind',
  'ssl.issuer': 'Issuer',
  'ssl.names': 'Domains',
  'ssl.until': 'Expires',
  'ssl.renews': 'Renews',
  'ssl.use_le': 'Use Let’s Encrypt',
  'ssl.use_self': 'Use a self-signed certificate',
  'ssl.use_inherit': 'Inherit from the parent domain',
  'ssl.use_custom': 'Use a custom certificate',
  'ssl.again': 'Get it again',
  'ssl.turn_off': 'Turn off SSL',
  'ssl.problem_missing':
    'The server says that the site has a certificate, but there is none: it was never issued. Let the domain point at the server, then get it again.',
  'ssl.problem_expired':
    'The certificate has expired, so browsers do not show the site. Get it again, or use another one.',
  'ssl.problem_not_yet_valid': 'The certificate is not valid yet. Check the clock of the server, or use another one.',
  'ssl.problem_other_name':
    'The certificate is for other domains, so browsers do not show the site. Get it again, or use another one.',
  'ssl.not_renewed':
    'The server has not renewed the certificate. Check that the domain points at the server, then get it again.',
  'ssl.ends_soon': 'Nobody renews this certificate. Use another one before it expires.',
  'ssl.parent_ends_soon':
    'The certificate of the parent domain ends soon. Renew it there, or use another one before it expires.',
  'ssl.failed': 'The last attempt failed. {reason}',
  'ssl.custom_title': 'Use a custom certificate',
  'ssl.custom_hint':
    'It is checked before it is sent to the server. The private key goes there only; Easydash does not keep it.',
  'ssl.cancel': 'Cancel',
  'ssl.install': 'Install certificate',
  'ssl.certificate': 'Certificate',
  'ssl.certificate_hint': 'As PEM, followed by the certificates of its issuers.',
  'ssl.key': 'Private key',
  'ssl.key_hint': 'As PEM, without a passphrase.',
  'ssl.required': 'This is needed.',
})
