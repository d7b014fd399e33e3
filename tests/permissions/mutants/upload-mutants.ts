import type { CodeMutant } from './mutant.ts'

const access = 'server/features/uploads/upload-access.ts'
const store = 'server/features/uploads/upload-store.ts'
const routes = 'server/wire/routes/upload-routes.ts'

/** The row of an upload, whoever it belongs to. */
const anyRow = `sql\`select id, kind, file_name, size::text as size, metadata, response from easydash_upload
  where id = \${id}\`.execute(context.db).then(({ rows: [row] }) => row ?? Promise.reject(uploadNotFound()))`

/** Mutants of resumable uploads. */
export const uploadMutants: readonly CodeMutant[] = [
  {
    what: 'uploads by guests',
    changes: [{ module: routes, in: 'rejectGuests', if: ['guest'], is: 'false' }],
    first: /^guest .*upload/,
  },
  {
    what: 'uploads by the unverified',
    changes: [{ module: routes, in: 'rejectGuests', call: 'requireVerified', answers: 'undefined' }],
    first: /^unverified .*upload/,
  },
  {
    what: 'a look at the caller before an upload',
    changes: [{ module: routes, in: 'uploadRoutes.onRequest', answers: 'Promise.resolve()' }],
    first: /^(?:guest|unverified) .*upload/,
  },
  {
    what: 'uploads by machines',
    changes: [{ module: access, in: 'assertMayUpload', operand: ['isMachine'], is: 'false' }],
    first: /^machine .*upload/,
  },
  {
    what: 'uploads of people by tokens',
    changes: [{ module: access, in: 'assertMayUpload', operand: ['kind', 'tokens', 'undefined'], is: 'false' }],
    first: /^token.*upload/,
  },
  {
    what: 'uploads by tokens without the scope',
    changes: [{ module: access, in: 'assertMayUpload', call: 'requireScope', answers: 'undefined' }],
    first: /^token.*upload/,
  },
  {
    what: 'the rule of the kind of upload',
    changes: [{ module: access, in: 'assertMayUpload', call: 'kind.check', answers: 'undefined' }],
    first: /upload/,
  },
  {
    what: 'a look at rights before an upload begins',
    changes: [{ module: store, in: 'createUpload', call: 'assertMayUpload', answers: 'undefined' }],
    first: /upload/,
  },
  {
    what: 'a look at rights before an upload is taken',
    changes: [{ module: store, in: 'finishUpload', call: 'assertMayUpload', answers: 'undefined' }],
    first: /upload .* no longer/,
  },
  {
    what: 'uploads of others',
    changes: [{ module: access, in: 'ownUpload', slot: ['user'], is: "sql.ref('user')" }],
    first: /upload of the owner/,
  },
  {
    what: 'uploads of the same person in another organization',
    changes: [{ module: access, in: 'ownUpload', slot: ['organization'], is: "sql.ref('organization')" }],
    first: /upload of the owner/,
  },
  {
    what: 'uploads that others end',
    changes: [{ module: store, in: 'removeUpload', call: 'ownUpload', answers: 'undefined' }],
    first: /upload of the owner/,
  },
  ...(['readUpload', 'appendToUpload'] as const).map((method): CodeMutant => ({
    what: `${method} for uploads of others`,
    changes: [{ module: store, in: method, call: 'ownUpload', answers: anyRow }],
    first: /upload of the owner/,
  })),
]
