import { createHash } from 'node:crypto'
import type { ServersDeps } from '../servers-context.ts'

/** Label of a machine with the name of its server, besides the label of the operation. */
export const serverLabel = 'easydash-server'

/** Label of a machine with the installation that ordered it: others can use the same account. */
export const installationLabel = 'easydash-installation'

/** The installation as labels have it: it is known by its SSH key, which it never loses without losing its servers. */
export async function installationOf({ publicKey }: Pick<ServersDeps, 'publicKey'>): Promise<string> {
  return createHash('sha256')
    .update(await publicKey())
    .digest('hex')
    .slice(0, 16)
}
