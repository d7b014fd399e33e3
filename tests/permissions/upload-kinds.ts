import type { Documents } from '#server/contracts/documents.ts'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

const finish: UploadKind['finish'] = (_session, { id }) => Promise.resolve({ taken: id })

/** Kinds of uploads for the suite: `package` for a site that the caller reads, `picture` for everybody but tokens. */
export const uploadKinds = (documents: () => Documents): UploadKind[] => [
  {
    name: 'package',
    tokens: 'sites:write',
    maxSize: 1000,
    async check(session, { metadata }) {
      await documents().get(session, SiteDoctype, metadata['site'] ?? '')
    },
    finish,
  },
  { name: 'picture', maxSize: 1000, check: () => Promise.resolve(), finish },
]
