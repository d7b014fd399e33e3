import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the SSH tab of a server. */
export const t = createCatalog({
  'ssh.sign_in': 'Sign in',
  'ssh.sign_in_text': 'With a key that is on the server, from a terminal:',
  'ssh.no_address': 'The server has no address yet.',
  'ssh.command': 'Copy the command',
  'ssh.host_key': 'Fingerprint of the server',
  'ssh.host_key_text':
    'SSH shows it at the first connection. If it is another one, somebody else may be answering: do not go on.',
  'ssh.host_key_copy': 'Copy the fingerprint',
  'ssh.host_key_none': 'It is known once the server has been set up.',
  'ssh.own': 'Keys of this server',
  'ssh.own_text':
    'Installed on this server only, at once. Keys that members keep in their profiles don’t get here by themselves.',
  'ssh.own_none_title': 'No keys of its own',
  'ssh.own_none': 'With a key here, its owner can sign in to this server.',
  'ssh.yours_add': 'Fill in one of yours:',
  'ssh.organization': 'Keys of the organization',
  'ssh.organization_text': 'Installed when the server was created. Later changes get there with Resync.',
})
