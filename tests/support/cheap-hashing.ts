import type { Hashing } from '#server/features/accounts/deps.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'

/** Replaces Argon2id, which is slow by design; `credentials.test.ts` covers the real one. */
export const cheapHashing: Hashing = {
  hash: (password) => Promise.resolve(hashToken(password)),
  verify: (hash, password) => Promise.resolve(hash === hashToken(password)),
  needsRehash: () => false,
}
