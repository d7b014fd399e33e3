import { generateKeyPairSync } from 'node:crypto'
import type { AccountsDeps } from '#server/features/accounts/deps.ts'
import type { OrganizationSecrets } from '#server/contracts/organization-secrets.ts'

/** Reversible but visibly different from the text; a value moved to another field can't be decrypted. */
export const plainSecrets: AccountsDeps['secrets'] = {
  seal: (aad, text) => Promise.resolve(Buffer.from(JSON.stringify([aad, text])).toString('base64')),
  open(aad, sealed) {
    const [sealedAad, text] = JSON.parse(Buffer.from(sealed, 'base64').toString()) as [string, string]
    return sealedAad === aad ? Promise.resolve(text) : Promise.reject(new Error('sealed for another field'))
  },
}

/** The same for an organization. */
export const plainOrganizationSecrets: OrganizationSecrets = {
  seal: (organization, aad, text) => plainSecrets.seal(`${organization}|${aad}`, text),
  open: async (organization, aad, sealed) => plainSecrets.open(`${organization}|${aad}`, sealed),
}

const { privateKey } = generateKeyPairSync('ed25519')

/** A key of an installation. */
export const madeInstallationKey = (): Promise<string> =>
  Promise.resolve(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
