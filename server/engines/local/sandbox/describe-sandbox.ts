import type { Sandbox } from './sandbox.ts'

/** Describes the sandbox of local sites to an operator; `isBest`: nothing can be improved. */
export function describeSandbox(
  { kind, noNewPrivileges }: Pick<Sandbox, 'kind' | 'noNewPrivileges'>,
  platform: NodeJS.Platform = process.platform,
): { isBest: boolean; text: string } {
  if (platform !== 'linux')
    return {
      isBest: false,
      text: 'Local sites run without a sandbox of the system: only Linux has one. Host only your own',
    }
  if (kind === 'bubblewrap')
    return { isBest: true, text: 'Local sites run in bubblewrap: own files, processes and network' }
  const privileges = noNewPrivileges ? '' : '. Their processes could gain rights: install util-linux (setpriv)'
  if (kind === 'namespaces')
    return {
      isBest: false,
      text: `Local sites run with their own processes and network, but not in bubblewrap: install it to hide the machine's files as well${privileges}`,
    }
  return {
    isBest: false,
    text: `Local sites run without a sandbox of the system: install bubblewrap, or allow user namespaces; in a container allow them there${privileges}`,
  }
}
