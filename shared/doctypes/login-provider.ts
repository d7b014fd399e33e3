import { data, link, secret, text, type FieldOptions } from '../fields.ts'

/** Fields of an organization about the provider that its members log in with. The owner sets them by `set_login_provider`. */
export const loginProviderFields = (access: Pick<FieldOptions, 'read_roles' | 'write_roles' | 'clear_roles'>) => ({
  client_id: data({ ...access, read_only: true, length: 300, label: 'Client ID' }),
  client_secret: secret({ ...access, read_only: true, label: 'Client secret' }),
  /** Address of the OpenID Connect provider, as it calls itself. */
  login_issuer: data({ ...access, read_only: true, length: 300, label: 'Issuer' }),
  /** One per line: only accounts with an email address of these domains log in through the provider. */
  login_domains: text({ ...access, read_only: true, length: 2000, label: 'Email domains' }),
  /** Names the organization in the address where its members log in, without saying which one it is. */
  login_key: data({ ...access, read_only: true, length: 32, label: 'Key of the login address' }),
})

/** Arguments with what the owner enters. A secret left out is the stored one. */
const typed = {
  issuer: data({ reqd: true, length: 300, label: 'Issuer' }),
  client_id: data({ reqd: true, length: 300, label: 'Client ID' }),
  client_secret: secret({ label: 'Client secret', length: 1000, description: 'Left out: the stored one.' }),
}

/** Actions of an organization about its login provider. Who sets the provider decides who can log in as whom: the owner only. */
export const loginProviderActions = {
  set_login_provider: {
    label: 'Save login provider',
    activity: 'changed the login provider',
    allow: { Owner: true },
    args: {
      ...typed,
      domains: text({ reqd: true, length: 2000, label: 'Email domains', description: 'One per line.' }),
    },
    reauth: true,
    rights_of: ['$members'],
    returns: 'LoginAddress',
    hidden: true,
  },
  test_login_provider: {
    label: 'Test login provider',
    activity: 'tested the login provider',
    allow: { Owner: true },
    args: typed,
    reauth: true,
    returns: 'LoginProviderTest',
    hidden: true,
  },
  renew_login_address: {
    label: 'New login address',
    activity: 'replaced the login address',
    allow: { Owner: true },
    confirm: 'The current address stops working. Members need the new one.',
    reauth: true,
    returns: 'LoginAddress',
    hidden: true,
  },
  list_login_links: {
    label: 'Linked members',
    allow: { Owner: true, 'Organization Admin': true },
    reads: true,
    tokens: 'members:read',
    returns: 'LoginLinks',
    hidden: true,
  },
  remove_login_link: {
    label: 'Unlink',
    activity: 'unlinked a member from the login provider',
    allow: { Owner: true, 'Organization Admin': true },
    args: { user: link('User', { reqd: true, label: 'Member' }) },
    confirm: 'Their sessions through the provider end. Their next login there links them again.',
    tokens: false,
    rights_of: ['user'],
    returns: 'Nothing',
    hidden: true,
  },
} as const
